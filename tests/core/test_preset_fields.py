"""Fields of strength in preset files."""

import tomllib
from pathlib import Path

import pytest

from core.errors import InputError
from core.presets import Preset, from_data, load, names, to_toml
from core.strength.choice import FieldChoice, changed
from core.strength.fields import FIELDS

SHIPPED = Path(__file__).parents[2] / "presets" / "brittle"
PLAIN = """
name = "Coil Pot"
[pieces]
method = "voronoi"
[breaking]
method = "impact_factor"
"""
STACK = (
    PLAIN
    + """
[[fields]]
kind = "bands"
count = 12
low = 0.3

[[fields]]
kind = "painted"
on = false
source = "image"
name = "Cracks \\"1\\""

[[fields]]
kind = "nodes"
place = "placed"
at = [0.5, 0.25, 1]

[sources]
"fields.1.low" = "a book"
"fields.3.at" = "by eye"
"""
)


def loaded(tmp_path, text):
    path = tmp_path / "pot.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def choice(kind, on=True, **params):
    return FieldChoice(kind, FIELDS[kind].params(**params), on)


def test_a_file_has_a_table_for_each_field(tmp_path):
    preset = loaded(tmp_path, STACK)
    assert preset.fields == (
        choice("bands", count=12, low=0.3),
        choice("painted", False, source="image", name='Cracks "1"'),
        choice("nodes", place="placed", at=(0.5, 0.25, 1.0)),
    )
    assert preset.sources == {"fields.1.low": "a book", "fields.3.at": "by eye"}
    assert loaded(tmp_path, PLAIN).fields == ()


@pytest.mark.parametrize(
    "fields", [(), tuple(choice(method.id) for method in FIELDS), (choice("bands", False, edge=0.1), choice("bands"))]
)
def test_a_written_preset_reads_back_equal(tmp_path, fields):
    sources = {"fields.2.low": "measured"} if fields else {}
    preset = Preset("Pot", "", "voronoi", "impact_factor", fields=fields, sources=sources)
    assert loaded(tmp_path, to_toml(preset)) == preset


def test_every_number_survives(tmp_path):
    third = choice("size", area=1.0 / 3.0, volume=-0.1)
    assert loaded(tmp_path, to_toml(Preset("Pot", "", "voronoi", "impact_factor", fields=(third,)))).fields == (third,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PLAIN + '[[fields]]\nkind = "bands"\nlow = -1', ("Field 1 (Bands), low", "at least 0.0")),
        (
            PLAIN + '[[fields]]\nkind = "size"\n[[fields]]\nkind = "noise"\nlow = nan',
            ("Field 2 (Noise), low", "finite"),
        ),
        (PLAIN + '[[fields]]\nkind = "bands"\nscript = "x"', ("Field 1 (Bands), script",)),
        (PLAIN + "[[fields]]\nlow = 1", ("Field 1", "no kind")),
        (PLAIN + '[[fields]]\nkind = "magic"', ('"magic"', "bands")),
        (PLAIN + '[fields]\nkind = "bands"', ("[[fields]]",)),
        ("fields = 3" + PLAIN, ("[[fields]]",)),
        ("fields = [1]" + PLAIN, ("Field 1", "table")),
        (STACK + '"fields.2.low" = "x"\n"fields.1.at" = "y"', ("fields.1.at",)),
        (STACK + '"fields.4.low" = "x"', ("fields.4.low",)),
        (STACK + '"fields.0.low" = "x"', ("fields.0.low",)),
    ],
)
def test_wrong_fields_are_refused_with_the_file_the_number_and_the_key(tmp_path, text, words):
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, text)
    for word in ('"pot.toml"', *words):
        assert word in str(caught.value)


def test_plain_data_is_read_like_a_file():
    data = tomllib.loads(STACK)
    assert from_data(data).fields[0] == choice("bands", count=12, low=0.3)


@pytest.mark.parametrize("name", sorted(names([SHIPPED])))
def test_a_shipped_preset_says_where_the_numbers_of_its_fields_come_from(name):
    preset = load(names([SHIPPED])[name])
    given = {f"fields.{number}.{key}" for number, one in enumerate(preset.fields, 1) for key in changed(one)}
    assert given <= set(preset.sources)
