"""Fields of strength from plain data to the settings that the core gets."""

import bpy
import pytest

PLAIN = {"pieces": {"method": "voronoi"}, "breaking": {"method": "impact_factor"}, "motion": {"method": "rigid"}}


@pytest.fixture
def settings(module):
    return module("operators.settings")


def test_plain_data_may_have_fields(settings, module):
    fields = [{"kind": "bands", "count": 5}, {"kind": "noise", "on": False, "seed": 2}]
    built = settings.build({**PLAIN, "fields": fields}, 1)
    assert [(one.kind, one.on) for one in built.fields] == [("bands", True), ("noise", False)]
    assert built.fields[0].params.count == 5 and built.fields[1].params.seed == 2
    assert module("core.strength.choice").tables_of(built.fields) == fields


def test_without_fields_there_are_none(settings, make_cube):
    assert settings.build(PLAIN, 1).fields == ()
    assert settings.settings_from(make_cube("Plain")).fields == ()
    assert bpy.data.objects["Plain"]


def test_wrong_fields_are_refused(settings, module):
    with pytest.raises(module("core.errors").InputError, match=r"Field 2 \(Noise\), low"):
        settings.build({**PLAIN, "fields": [{"kind": "bands"}, {"kind": "noise", "low": -1.0}]}, 1)
