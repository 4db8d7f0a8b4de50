"""The wheels that an extension zip carries: which they are, and how they are fetched and held against their hashes.

`requirements/wheels.toml` lists, for each platform and Python, file name and sha256. tools/lock.py writes it from the
same locks that the test environments are made of, so what is tested is what ships. numpy is Blender's own.
"""

import hashlib
import subprocess
import sys
import tomllib
from pathlib import Path

LOCK = Path(__file__).resolve().parents[1] / "requirements" / "wheels.toml"
SHIPPED = ("scipy", "numba", "llvmlite", "manifold3d")


def locked(platform: str) -> dict[str, dict[str, str]]:
    """File name -> sha256 for each Python tag ("cp311", "cp313") of a platform."""
    return tomllib.loads(LOCK.read_text("utf-8"))[platform]


def platforms() -> tuple[str, ...]:
    """Every platform that a zip can be built for, by Blender's names."""
    return tuple(tomllib.loads(LOCK.read_text("utf-8")))


def fetch(platform: str, folder: Path) -> list[Path]:
    """The platform's wheels in `folder`, downloaded where missing; SystemExit when one is not the locked file."""
    folder.mkdir(parents=True, exist_ok=True)
    for tag, wheels in locked(platform).items():
        for name, sha256 in wheels.items():
            if not (folder / name).is_file():
                _download(name, sha256, tag, folder)
    hashes = {name: sha256 for wheels in locked(platform).values() for name, sha256 in wheels.items()}
    for name, sha256 in hashes.items():
        if digest(folder / name) != sha256:
            raise SystemExit(f"{folder / name} is not the locked file; delete it and build again")
    return [folder / name for name in sorted(hashes)]


def digest(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _download(name: str, sha256: str, tag: str, folder: Path) -> None:
    distribution, version, *_, tags = name.removesuffix(".whl").split("-")
    requirement = folder / f"{name}.txt"
    requirement.write_text(f"{distribution}=={version} --hash=sha256:{sha256}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
    target = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", f"{tag[2]}.{tag[3:]}"]
    target += [word for platform_tag in tags.split(".") for word in ("--platform", platform_tag)]
    print(f"Downloading {name}", flush=True)
    subprocess.run([*pip, *target, "--require-hashes", "-r", requirement, "--dest", folder], check=True)
    requirement.unlink()
