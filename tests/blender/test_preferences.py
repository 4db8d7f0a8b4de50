"""What an artist chooses for all files is there when it is needed."""

import os

import bpy


def test_machine_code_is_kept_where_the_artist_wants_it(module, monkeypatch, tmp_path):
    preferences, warm_up = module("operators.preferences"), module("operators.warm_up")
    chosen = preferences.chosen(bpy.context)
    monkeypatch.delenv("NUMBA_CACHE_DIR")

    def folder():
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        warm_up.use_cache(preferences.cache_folder(bpy.context))
        return os.environ["NUMBA_CACHE_DIR"]

    usual = folder()
    (tmp_path / "file").touch()
    try:
        chosen.cache = str(tmp_path / "code")
        assert folder() == str(tmp_path / "code") and (tmp_path / "code").is_dir()
        chosen.cache = str(tmp_path / "file" / "code")
        assert folder() == usual, "a folder that cannot be made stops nothing"
    finally:
        chosen.property_unset("cache")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "as I say")
    warm_up.use_cache(str(tmp_path))
    assert os.environ["NUMBA_CACHE_DIR"] == "as I say", "who starts Blender has the last word"


def test_they_are_known_before_what_reads_them(module):
    order = list(module("operators")._modules())
    assert order[0] == module("operators.preferences")
