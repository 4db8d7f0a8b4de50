"""Rough faces as settings: what a preset, the settings and the key of a stored cut make of them."""

import dataclasses

import pytest

from core.breaking import RULES
from core.config.material import Material
from core.config.surface import QUALITY, Surface, decide_quality
from core.diagram import diagram_key
from core.errors import InputError
from core.pieces import PARTITIONS
from core.presets import from_data, to_toml
from core.settings import Settings
from tests.shapes import box

PLAIN = {"name": "Plain", "pieces": {"method": "voronoi"}, "breaking": {"method": "impact_factor"}}
OTHERS = {
    "octaves": 2,
    "amplitude": 0.02,
    "wavelength": 0.5,
    "quality": "preview",
    "wrap": "cylinder",
    "cutter": "level_set",
    "resolution": 40,
}


def settings(**changes):
    pieces, rule = PARTITIONS["voronoi"].params(), RULES["impact_factor"].params()
    return Settings(0, "voronoi", pieces, "impact_factor", rule, Material(), **changes)


def test_faces_are_flat_unless_asked():
    """Files and presets that know nothing of rough faces stay as they were."""
    assert Surface().octaves == 0
    assert settings().surface == from_data(PLAIN).surface == Surface()


def test_a_preset_names_some_values_and_where_they_come_from():
    sources = {f"surface.{name}": "a book" for name in OTHERS}
    preset = from_data({**PLAIN, "surface": {"octaves": 2, "amplitude": 0}, "sources": sources})
    assert preset.surface == Surface(octaves=2, amplitude=0.0)
    assert "[surface]\noctaves = 2\namplitude = 0.0\n" in to_toml(preset)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"octaves": 5}, ("surface.octaves", "at most 4")),
        ({"octaves": -1}, ("surface.octaves", "at least 0")),
        ({"octaves": 2.0}, ("surface.octaves", "Detail")),
        ({"amplitude": 0.0601}, ("surface.amplitude", "at most 0.06")),
        ({"wavelength": 0.0}, ("surface.wavelength", "at least 0.05")),
        ({"wavelength": float("nan")}, ("surface.wavelength", "finite")),
        ({"quality": "best"}, ("surface.quality", "preview, final")),
        ({"wrap": "round"}, ("surface.wrap", "auto, off, sphere, cylinder")),
        ({"method": "noise"}, ("surface.method",)),
    ],
)
def test_wrong_values_are_refused_in_one_sentence_that_names_the_key(table, words):
    with pytest.raises(InputError) as caught:
        from_data({**PLAIN, "surface": table})
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_settings_check_the_surface():
    settings(surface=Surface(**OTHERS)).check()
    with pytest.raises(InputError, match="Roughness"):
        settings(surface=Surface(amplitude=0.5)).check()


def test_a_stored_cut_is_for_one_surface():
    assert set(OTHERS) == {field.name for field in dataclasses.fields(Surface)}
    keys = {diagram_key(box(), (), settings(surface=Surface(**{name: value}))) for name, value in OTHERS.items()}
    keys.add(diagram_key(box(), (), settings()))
    assert len(keys) == 1 + len(OTHERS)
    assert diagram_key(box(), (), settings()) == diagram_key(box(), (), settings())
    assert diagram_key(box(), (), settings()) == diagram_key(box(), (), settings(surface=Surface(quality="final")))


def test_auto_is_preview_in_a_window_and_final_without_one():
    auto = Surface(octaves=2)
    assert decide_quality(auto, in_window=True) == Surface(octaves=2, quality="preview")
    assert decide_quality(auto) == Surface(octaves=2, quality="final")
    for choice in QUALITY:
        chosen = Surface(quality=choice.id)
        assert decide_quality(chosen) == decide_quality(chosen, in_window=True) == chosen
