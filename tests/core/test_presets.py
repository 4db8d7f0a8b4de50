import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breaking import RULES, verdict_steps
from core.config.material import Material
from core.config.params import declared, from_mapping
from core.config.surface import Surface
from core.continuum import CONTINUA
from core.cutting.retry import cut_with_retry
from core.cutting.units import units
from core.errors import InputError
from core.geometry.graph import components
from core.methods import BREAKINGS
from core.pieces import PARTITIONS
from core.presets import SIZE_LIMIT, Preset, entries, find, from_data, load, names, to_toml
from core.rigid import MOTIONS
from core.stepwise import result_of
from core.strength.origin import Origin
from core.strength.stack import strengths_of
from core.types import Impact
from tests.shapes import box, icosphere, torus
from tests.struck import struck

FLAT = dataclasses.asdict(Surface())
SHIPPED = Path(__file__).parents[2] / "presets" / "brittle"

PLAIN = """
name = "Plain"
[pieces]
method = "voronoi"
[breaking]
method = "impact_factor"
"""


def write(folder, text, name="plain.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_without_values_means_the_defaults(tmp_path):
    preset = load(write(tmp_path, PLAIN))
    assert preset == Preset("Plain", "", "voronoi", "impact_factor")
    assert preset.material == Material()


def test_values_are_converted_and_checked(tmp_path):
    text = (
        PLAIN
        + 'durability = 1\ncentre = "centroid"\n[material]\ndensity = 800\n[sources]\n"material.density" = "a book"'
    )
    preset = load(write(tmp_path, text))
    assert preset.breaking_params == {"durability": 1.0, "centre": "centroid"}
    assert type(preset.breaking_params["durability"]) is float
    assert preset.material == Material(density=800.0)
    assert preset.sources == {"material.density": "a book"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PLAIN + "strength = 1.0", ("breaking.strength",)),
        (PLAIN + "durability = -1.0", ("breaking.durability", "at least 0.0")),
        (PLAIN + "durability = nan", ("breaking.durability", "finite")),
        (PLAIN + 'durability = "hard"', ("breaking.durability",)),
        (PLAIN + "durability = 2020-01-01", ("breaking.durability",)),
        (PLAIN + "[material]\ndensity = 0", ("material.density",)),
        (PLAIN + '[material]\nmethod = "steel"', ("material.method",)),
        (PLAIN + "[surface]\namplitude = 0.1", ("surface.amplitude", "at most 0.06")),
        (PLAIN + '[sources]\n"surface.colour" = "x"', ("surface.colour",)),
        (PLAIN + "[script]\nrun = 1", ("script",)),
        ("code = 1\n" + PLAIN, ("code",)),
        (PLAIN.replace("impact_factor", "magic"), ("magic", "impact_factor")),
        (PLAIN.replace('method = "voronoi"', ""), ("[pieces]", "method")),
        (PLAIN.replace('"voronoi"', "1"), ("pieces.method",)),
        (PLAIN.replace('"Plain"', '" "'), ("name",)),
        (PLAIN.replace('"Plain"', "3"), ("name",)),
        ("material = 3\n" + PLAIN, ("material", "table")),
        (PLAIN + '[sources]\n"material.colour" = "x"', ("material.colour",)),
        (PLAIN + '[sources]\n"material.density" = 3', ("sources.material.density",)),
        (PLAIN + "[[", ("TOML",)),
        (PLAIN + "durability = " + "[" * 20_000, ("TOML",)),
        (PLAIN + "#" * SIZE_LIMIT, ("64 KiB",)),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_with_the_file_and_the_key(tmp_path, text, words):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load(path)
    for word in ('"plain.toml"', *words):
        assert word in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(InputError, match="gone"):
        load(tmp_path / "gone.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"name = '\xff\xfe'")
    with pytest.raises(InputError, match="TOML"):
        load(binary)


def test_names_of_several_folders(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    write(tmp_path, PLAIN)
    write(tmp_path, PLAIN.replace("Plain", "Zinc"), "zinc.toml")
    write(tmp_path, "not a preset", "notes.txt")
    mine = write(own, PLAIN, "mine.toml")
    broken = write(own, "[[", "broken.toml")
    # The later folder replaces "Plain"; a broken file stays visible under its file name.
    assert names([tmp_path, own, tmp_path / "none"]) == {
        "Plain": mine,
        "Zinc": tmp_path / "zinc.toml",
        "broken": broken,
    }


def test_a_preset_is_found_by_its_name_or_its_file_name(tmp_path):
    write(tmp_path, PLAIN.replace("Plain", "Old Oak"), "old_oak.toml")
    assert find("old oak", [tmp_path]) == find("old_oak", [tmp_path]) == find("Old Oak", [tmp_path])
    with pytest.raises(InputError, match='no preset "Teak"; choose one of Old Oak'):
        find("Teak", [tmp_path])


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


def values_of(kind):
    """Settings of a params dataclass within their limits, any subset of them."""

    def number(default, limits):
        low, high = limits
        if isinstance(default, bool):
            return st.booleans()
        if isinstance(default, int):
            return st.integers(low, high if high is not None else 2**62)
        return st.floats(low, high, allow_nan=False, allow_infinity=False)

    def value(item):
        if item.param.choices:
            return st.sampled_from([choice.id for choice in item.param.choices])
        if isinstance(item.default, tuple):
            return st.tuples(*(number(part, item.param.limits) for part in item.default))
        return number(item.default, item.param.limits)

    return st.fixed_dictionaries({}, optional={item.name: value(item) for item in declared(kind)})


@given(
    st.builds(
        Preset,
        name=TEXT.filter(str.strip),
        description=TEXT,
        pieces=st.just("voronoi"),
        breaking=st.just("impact_factor"),
        pieces_params=values_of(PARTITIONS["voronoi"].params),
        breaking_params=values_of(RULES["impact_factor"].params),
        material=values_of(Material).map(lambda values: Material(**values)),
        sources=st.fixed_dictionaries({}, optional={"material.density": TEXT, "breaking.locality": TEXT}),
        motion=st.just("rigid"),
        motion_params=values_of(MOTIONS["rigid"].params),
        surface=values_of(Surface).map(lambda values: Surface(**values)),
    )
)
def test_a_written_preset_reads_back_equal(tmp_path_factory, preset):
    path = tmp_path_factory.getbasetemp() / "round_trip.toml"
    path.write_bytes(to_toml(preset).encode("utf-8"))
    assert load(path) == preset


@pytest.fixture(params=sorted(path.stem for path in SHIPPED.glob("*.toml")))
def shipped(request):
    return load(SHIPPED / f"{request.param}.toml")


def test_the_materials_of_the_readme_ship():
    assert {"Standard Glass", "Tempered Glass", "Clay", "Concrete", "Stone"} <= set(names([SHIPPED]))


def test_a_shipped_preset_says_where_each_number_comes_from(shipped):
    assert shipped.description
    given = {f"pieces.{key}" for key in shipped.pieces_params}
    given |= {f"breaking.{key}" for key in shipped.breaking_params}
    given |= {f"material.{field.name}" for field in dataclasses.fields(Material)}
    given |= {f"surface.{key}" for key, value in dataclasses.asdict(shipped.surface).items() if value != FLAT[key]}
    given |= {"surface.octaves"}
    assert given <= set(shipped.sources)
    assert all(source.strip() for source in shipped.sources.values())


def test_glass_crystals_and_bricks_are_flat_and_all_else_is_rough(shipped):
    smooth = {"Standard Glass", "Window Pane", "Tempered Glass", "Crystal", "Brick Wall"}
    smooth |= {"Ice", *(f"{name} (Lattice)" for name in ("Window Glass", "Tempered Glass", "Crystal Glass"))}
    assert (shipped.surface.octaves == 0) == (shipped.name in smooth or shipped.breaking in CONTINUA)
    assert shipped.surface.amplitude <= 0.04, "what three and four octaves bear: an artist may raise Detail alone"


def test_a_shipped_preset_builds_its_params(shipped):
    for registry, method, values in (
        (PARTITIONS, shipped.pieces, shipped.pieces_params),
        (BREAKINGS, shipped.breaking, shipped.breaking_params),
    ):
        params = from_mapping(registry[method].params, values)
        assert {key: getattr(params, key) for key in values} == values


def test_a_preset_need_not_name_a_motion():
    data = {"name": "Plain", "pieces": {"method": "voronoi"}, "breaking": {"method": "impact_factor"}}
    plain = from_data(data)
    assert (plain.motion, plain.motion_params) == ("rigid", {})
    assert from_data({**data, "motion": {"method": "rigid"}}) == plain
    for motion in MOTIONS:
        assert from_data({**data, "motion": {"method": motion.id}}).motion == motion.id
    with pytest.raises(InputError, match='no motion "float"; choose one of rigid'):
        from_data({**data, "motion": {"method": "float"}})
    with pytest.raises(InputError, match=r"motion\.speed"):
        from_data({**data, "motion": {"method": "rigid", "speed": 3.0}})


def test_plain_data_is_checked_like_a_file():
    with pytest.raises(InputError, match="no table"):
        from_data({"name": "x", "__import__": {}})


@pytest.mark.parametrize("scene", ["pane", "corner of a pane", "ball", "ring"])
def test_a_hit_of_strength_one_visibly_breaks_it(shipped, scene):
    # Artists click Shatter before they turn any knob: F = 1, the automatic radius, a hit on the surface.
    if shipped.breaking in CONTINUA:
        pytest.skip("matter that deforms answers a hit by its form")
    body, point = {
        "pane": (box((0, 0, 0), (1, 1, 0.006)), (0.45, 0.55, 0.006)),
        "corner of a pane": (box((0, 0, 0), (1, 1, 0.006)), (0.02, 0.02, 0.006)),
        "ball": (icosphere(3), (0.0, 0.0, 1.0)),
        "ring": (torus(), (1.0, 0.0, 0.3)),
    }[scene]
    diagonal = float(np.linalg.norm(np.ptp(body.vertices, axis=0)))

    def largest_and_count(strength, seed):
        impact = Impact(np.array(point), np.array([0.0, 0.0, -1.0]), strength, 10.0, 0.1 * diagonal, 0.0)
        kind, rule = PARTITIONS[shipped.pieces], RULES[shipped.breaking]
        params = from_mapping(kind.params, shipped.pieces_params)
        cells, _ = cut_with_retry(body, lambda attempt: kind.run(body, [impact], params, seed, attempt))
        graph, members = units(cells), np.arange(int(cells.unit.max()) + 1)
        params = from_mapping(rule.params, shipped.breaking_params)
        fields = strengths_of(Origin(body, np.eye(3), ()), cells, graph, shipped.fields)
        hit = struck(graph, impact, seed=seed, cells=cells, material=shipped.material, strengths=fields)
        cracked = result_of(verdict_steps(rule.run, hit, params)).cracked
        label = components(len(members), graph.links, ~cracked, members)
        volume = np.bincount(label, graph.volume)
        return volume.max() / volume.sum(), len(volume)

    computed = shipped.breaking == "constraint_lattice"  # takes seconds, and forces say how much comes off
    if computed and scene in ("corner of a pane", "ring"):
        pytest.skip("the other two scenes tell it")
    for seed in (1,) if computed else (1, 2):
        largest, count = largest_and_count(1.0, seed)
        assert largest < 0.8 and count >= (5 if computed else 30)
        # A tenth is more than what first cracks the material by forces, and tempered glass then goes as a whole.
        weak, _ = largest_and_count(0.01 if computed else 0.1, seed)
        assert weak > largest  # the strength of the hit is a control, not a switch
    if shipped.name.startswith("Tempered Glass"):
        assert largest < 0.1, "tempered glass breaks as a whole"


@pytest.mark.parametrize("old", ["Ice (Lattice)", "Coil Pot (Lattice)", "glazed ceramic (lattice)", "ice_lattice"])
def test_a_name_of_older_files_still_means_its_preset(old):
    assert find(old, [SHIPPED]).breaking == "constraint_lattice"


def test_each_shipped_preset_has_its_place_in_the_list():
    found = entries([SHIPPED])
    listed = {entry.name for entry in found if entry.group}
    for entry in found:
        assert bool(entry.group) != bool(entry.variant_of), entry.name
        assert entry.group or entry.variant_of in listed, entry.name
