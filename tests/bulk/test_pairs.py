"""Finding and pairing files: keys, companions, every kind of name that does not match."""

from __future__ import annotations

import os
import sys
import unicodedata

import pytest

from fastsegmetrics.bulk.names import suggest
from fastsegmetrics.bulk.pairs import index_folder, pair
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import volumes

NOTHING = ("", "", "", "")


def fill(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return folder


def failure(function, *args, **options):
    with pytest.raises(InputError) as caught:
        function(*args, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- One folder


def test_keys_are_relative_names_without_extension(tmp_path):
    fill(tmp_path, "b.png", "a.JPG", "in/door/c.TIFF", "in/a.npy", "x.y.bmp")
    index = index_folder(tmp_path)
    assert list(index) == ["a", "b", "in/a", "in/door/c", "x.y"]
    assert index["in/door/c"] == tmp_path / "in" / "door" / "c.TIFF"
    assert index == index_folder(str(tmp_path))
    assert index.ignored == []


def test_order_is_by_code_point(tmp_path):
    fill(tmp_path, "a.png", "B.png", "é.png", "10.png", "9.png", "a b.png", "a/z.png", "a-.png")
    assert list(index_folder(tmp_path)) == ["10", "9", "B", "a", "a b", "a-", "a/z", "é"]


def test_companions_are_passed_over_and_strangers_named(tmp_path):
    fill(tmp_path, "a.png", "._a.png", ".DS_Store", ".hidden/b.png", "Thumbs.db", "desktop.ini")
    assert index_folder(tmp_path).ignored == []
    fill(tmp_path, "readme.txt", "sub/a.mat", "a.png.bak", "png", ".png")
    index = index_folder(tmp_path)
    assert list(index) == ["a"]
    assert index.ignored == ["a.png.bak", "png", "readme.txt", "sub/a.mat"]


def test_name_parts_are_left_off_and_filter(tmp_path):
    fill(tmp_path, "m_a_pred.png", "m_b_pred.JPG", "d/m_c_pred.png", "a.png", "m__pred.png",
         "m_pred.png", "m_e_predx.png")  # fmt: skip
    index = index_folder(tmp_path, prefix="m_", suffix="_pred")
    assert list(index) == ["a", "b", "d/c"]
    assert index["a"].name == "m_a_pred.png"
    assert index.ignored == ["a.png", "m__pred.png", "m_e_predx.png", "m_pred.png"]
    assert list(index_folder(tmp_path, suffix="x")) == ["m_e_pred"]


def test_two_files_of_one_key(tmp_path):
    fill(tmp_path, "d/a.png", "d/a.jpg", "b.png")
    message = failure(index_folder, tmp_path)
    assert message == (
        f"{tmp_path}: d/a.jpg and d/a.png have one name without extension; move one away"
    )


def test_folder_that_is_none(tmp_path):
    fill(tmp_path, "a.png")
    assert failure(index_folder, tmp_path / "no") == f"{tmp_path / 'no'}: there is no such folder"
    assert "a.png: is a file; a folder is needed" in failure(index_folder, tmp_path / "a.png")


def test_folder_without_images(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert failure(index_folder, empty) == (
        f"{empty}: holds no file of .png, .jpg, .jpeg, .jpe, .bmp, .dib, .tif, .tiff, .npy"
    )
    fill(empty, "a.txt")
    assert failure(index_folder, empty).endswith(".npy (1 other file, a.txt)")
    fill(empty, "a.png")
    message = failure(index_folder, empty, prefix="p_", suffix="_s")
    assert "holds no file named p_*_s of .png" in message
    assert message.endswith("(2 other files, the first a.png)")


def test_folder_of_what_the_other_command_measures(tmp_path):
    fill(tmp_path, "a.txt", "scan.nii.gz")
    assert failure(index_folder, tmp_path).endswith(
        ".npy (2 other files, the first a.txt); label volumes are measured with labels=N "
        "(in Python by evaluate_volumes)"
    )
    fill(tmp_path / "maps", "a.png", "x_b.npy")
    assert failure(index_folder, tmp_path / "maps", prefix="y_", suffixes=volumes.SUFFIXES) == (
        f"{tmp_path / 'maps'}: holds no file named y_* of .nii.gz, .nii, .npy, .npz "
        f"(2 other files, the first a.png); `evaluate` measures images"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_are_followed_once(tmp_path):
    fill(tmp_path, "real/a.png", "far/b.png")
    root = tmp_path / "root"
    root.mkdir()
    (root / "one").symlink_to(tmp_path / "real")
    (root / "two").symlink_to(tmp_path / "real")
    (root / "up").symlink_to(root)
    (root / "b.png").symlink_to(tmp_path / "far" / "b.png")
    (root / "broken.png").symlink_to(tmp_path / "gone.png")
    assert list(index_folder(root)) == ["b", "broken", "one/a"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_folder_that_cannot_be_listed(tmp_path, monkeypatch):
    fill(tmp_path, "a.png", "shut/b.png")
    scandir = os.scandir

    def refuse(path):
        if os.fspath(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "shut: cannot be listed (Permission denied)" in failure(index_folder, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes exist on Linux only")
def test_name_that_is_no_unicode(tmp_path):
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.png"), "wb"):
        pass
    ((key, path),) = index_folder(tmp_path).items()
    assert key == "caf\\udce9"
    assert path.exists()


# --- Pairs


def test_pairs_missing_extra_and_ignored(tmp_path):
    gt = fill(tmp_path / "gt", "a.png", "b.jpg", "d/c.bmp", "notes.txt")
    one = fill(tmp_path / "one", "a.npy", "b.png", "d/c.png", "z.png")
    two = fill(tmp_path / "two", "b.png", "e.png", "q.mat", "q.csv")
    pairs = pair(gt, {"two": two, "one": str(one)})
    assert pairs.samples == ("a", "b", "d/c")
    assert pairs.truths == {"a": gt / "a.png", "b": gt / "b.jpg", "d/c": gt / "d" / "c.bmp"}
    assert list(pairs.predictions) == ["two", "one"]
    assert pairs.predictions["one"] == {
        "a": one / "a.npy", "b": one / "b.png", "d/c": one / "d" / "c.png",
    }  # fmt: skip
    assert pairs.predictions["two"] == {"b": two / "b.png"}
    assert pairs.missing == {"one": [], "two": ["a", "d/c"]}
    assert pairs.extra == {"one": ["z"], "two": ["e"]}
    assert pairs.hints == {}
    assert pairs.ignored_truths == ["notes.txt"]
    assert pairs.ignored == {"one": [], "two": ["q.csv", "q.mat"]}


def test_name_parts_of_both_sides(tmp_path):
    gt = fill(tmp_path / "gt", "a_gt.png", "b_gt.png", "a.jpg")
    pred = fill(tmp_path / "p", "x_a_m.png", "x_b_m.png")
    pairs = pair(gt, {"p": pred}, gt_suffix="_gt", pred_prefix="x_", pred_suffix="_m")
    assert pairs.predictions["p"] == {"a": pred / "x_a_m.png", "b": pred / "x_b_m.png"}
    assert pairs.ignored_truths == ["a.jpg"]
    assert pair(tmp_path / "gt", {"p": gt}, gt_suffix="_gt", pred_suffix="_gt").missing["p"] == []


def test_unicode_forms_match(tmp_path):
    composed = unicodedata.normalize("NFC", "Käfer_ü")
    decomposed = unicodedata.normalize("NFD", composed)
    assert composed != decomposed
    gt = fill(tmp_path / "gt", f"{composed}.png")
    pred = fill(tmp_path / "p", f"{decomposed}.png", f"{decomposed}x.png")
    pairs = pair(gt, {"p": pred})
    assert pairs.samples == (composed,)
    assert pairs.predictions["p"][composed] == pred / f"{decomposed}.png"
    parts = pair(gt, {"p": pred}, gt_suffix=unicodedata.normalize("NFD", "ü"), pred_suffix="üx")
    assert parts.samples == ("Käfer_",)
    assert parts.missing["p"] == []


def test_both_forms_in_one_folder_are_one_name(tmp_path):
    fill(tmp_path, "\u00e9.png", "e\u0301.png")
    if len(list(tmp_path.iterdir())) == 2:
        assert "have one name" in failure(index_folder, tmp_path)


def test_nothing_matches(tmp_path):
    gt = fill(tmp_path / "gt", "a.png", "b.png")
    pred = fill(tmp_path / "p", "a_pred.png", "b_pred.png", "c_pred.png")
    assert failure(pair, gt, {"p": pred}) == (
        f"{pred}: none of its 3 files has the name of a ground truth in {gt} (it has 'a_pred', the "
        "ground truth 'a'); did you mean pred_suffix='_pred' (2 of 2 missing names would match)?"
    )
    other = fill(tmp_path / "q", "x.png")
    assert failure(pair, gt, {"q": other}).endswith("(it has 'x', the ground truth 'a')")


def test_some_match_and_the_rest_has_a_hint(tmp_path):
    gt = fill(tmp_path / "gt", "a.png", "b.png", "c.png")
    pred = fill(tmp_path / "p", "a.png", "B.png", "C.png")
    pairs = pair(gt, {"p": pred})
    assert pairs.hints == {"p": "2 of 2 missing names differ by upper and lower case only"}


# --- Hints


def test_one_pair_of_names_shows_no_rule():
    assert suggest(["img_07"], ["img_77"], NOTHING) == ""
    assert suggest(["a"], ["a_pred"], NOTHING) == ""
    # Case and folders need no second example.
    assert "differ by upper and lower case only" in suggest(["a"], ["A"], NOTHING)
    assert "did you mean the folder 'x' inside it" in suggest(["a"], ["x/a"], NOTHING)


@pytest.mark.parametrize(
    ("missing", "extra", "given", "arguments"),
    [
        (["a", "b"], ["a_pred", "b_pred"], NOTHING, "pred_suffix='_pred'"),
        (["a", "b"], ["pred_a", "pred_b"], NOTHING, "pred_prefix='pred_'"),
        (["a", "b"], ["m-a-s", "m-b-s"], NOTHING, "pred_prefix='m-' pred_suffix='-s'"),
        (["a_gt", "b_gt"], ["a", "b"], NOTHING, "gt_suffix='_gt'"),
        (["gt_a", "gt_b"], ["a", "b"], NOTHING, "gt_prefix='gt_'"),
        (["a_gt", "b_gt"], ["a_map", "b_map"], NOTHING, "gt_suffix='_gt' pred_suffix='_map'"),
        (["gt-a", "gt-b"], ["mp-a", "mp-b"], NOTHING, "gt_prefix='gt-' pred_prefix='mp-'"),
        (["d/a", "d/b"], ["d/a_p", "d/b_p"], NOTHING, "pred_suffix='_p'"),
        (["1", "2", "11"], ["1_p", "2_p", "11_p"], NOTHING, "pred_suffix='_p'"),
        (["a", "b"], ["a x", "b x"], NOTHING, "pred_suffix=' x'"),
        (["a", "b"], ["m_a", "m_b"], ("", "", "x_", "_s"), "pred_prefix='x_m_'"),
        (["a", "b"], ["a_m", "b_m"], ("", "", "x_", "_s"), "pred_suffix='_m_s'"),
    ],
)  # fmt: skip
def test_name_parts_are_guessed(missing, extra, given, arguments):
    n = len(missing)
    assert suggest(missing, extra, given) == (
        f"did you mean {arguments} ({n} of {n} missing names would match)?"
    )


def test_nesting_is_guessed():
    assert suggest(["a", "b"], ["fold1/a", "fold1/b"], NOTHING) == (
        "did you mean the folder 'fold1' inside it as predictions?"
    )
    assert suggest(["masks/a", "masks/b"], ["a", "b", "c"], NOTHING) == (
        "did you mean the folder 'masks' inside that of the ground truths?"
    )
    assert suggest(["u/a", "v/b"], ["a", "w/b"], NOTHING) == (
        "2 of 2 missing names would match without the folders that the files are nested in"
    )


def test_names_without_anything_in_common_get_no_hint():
    assert suggest(["cat", "dog", "cow"], ["x1", "x2"], NOTHING) == ""
    assert suggest(["cat", "dog", "cow"], ["cat_p"], NOTHING) == ""


def test_guessing_stays_quick_on_many_names():
    missing = [str(i) for i in range(3000)]
    extra = [f"{i}_map" for i in range(3000)]
    assert suggest(missing, extra, NOTHING) == (
        "did you mean pred_suffix='_map' (3000 of 3000 missing names would match)?"
    )


# --- Photographs, and folders named as files


def test_names_of_photographs_are_explained_in_their_own_arguments():
    def hint(missing, extra, given=NOTHING):
        return suggest(missing, extra, given, "photographs")

    assert hint(["a", "b"], ["x_a_rgb", "x_b_rgb", "z"], ("", "", "y_", "")) == (
        "did you mean image_prefix='y_x_' image_suffix='_rgb' (2 of 2 missing names would match)?"
    )
    assert hint(["a", "b"], ["im/a", "im/b"]) == (
        "did you mean the folder 'im' inside it as photographs?"
    )
    assert hint(["a", "b"], ["A", "B"]).endswith("differ by upper and lower case only")
    # The truths' names are those of the predictions: they are not to be changed.
    assert hint(["a_gt", "b_gt"], ["a", "b"]) == ""
    assert hint(["masks/a", "masks/b"], ["a", "b"]) == (
        "2 of 2 missing names would match without the folders that the files are nested in"
    )


def test_photographs_are_paired_by_name(tmp_path):
    gt = fill(tmp_path / "gt", "a.png", "d/b.png", "c.png")
    pred = fill(tmp_path / "p", "a.png", "d/b.png", "c.png")
    rgb = fill(tmp_path / "rgb", "x_a_i.jpg", "d/x_b_i.JPG", "x_z_i.jpg", "c.jpg")
    pairs = pair(gt, {"p": pred}, image_root=rgb, image_prefix="x_", image_suffix="_i")
    assert pairs.images == {"a": rgb / "x_a_i.jpg", "d/b": rgb / "d" / "x_b_i.JPG"}
    assert pairs.missing_images == ["c"]
    assert pairs.missing == {"p": []}
    assert pairs.image_hint == ""
    bare = pair(gt, {"p": pred}, image_root=rgb, image_suffix="_i")
    assert bare.missing_images == ["a", "c", "d/b"]
    assert bare.image_hint == "did you mean image_prefix='x_' (2 of 3 missing names would match)?"
    without = pair(gt, {"p": pred})
    assert (without.images, without.missing_images, without.image_hint) == ({}, [], "")
    assert "there is no such folder" in failure(pair, gt, {"p": pred}, image_root=tmp_path / "no")


def test_folders_named_as_a_missing_file_are_told(tmp_path):
    gt = fill(tmp_path / "gt", "a.png", "b.png", "c.png")
    pred = fill(tmp_path / "p", "a.png", "b.png/inner.png", "folder/c.png", "c.npy/x.txt")
    (pred / "a.jpg").mkdir()
    pairs = pair(gt, {"p": pred})
    assert pairs.missing["p"] == ["b", "c"]
    assert pairs.directories["p"] == [pred / "b.png", pred / "c.npy"]
    assert pairs.extra["p"] == ["b.png/inner", "folder/c"]
    assert pairs.ignored["p"] == ["c.npy/x.txt"]


def test_one_file_without_its_truth_is_told_of_in_the_singular(tmp_path):
    for folder, name in (("gt", "a"), ("p", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.png").write_bytes(b"")
    with pytest.raises(InputError, match=r"p: its one file has not the name of a ground truth in"):
        pair(tmp_path / "gt", {"p": tmp_path / "p"})
