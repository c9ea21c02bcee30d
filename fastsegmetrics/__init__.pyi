from fastsegmetrics.backend import use_backend as use_backend
from fastsegmetrics.bulk.run import Run as Run, evaluate_folders as evaluate_folders
from fastsegmetrics.bulk.volumes import (
    VolumeRun as VolumeRun,
    evaluate_volumes as evaluate_volumes,
)
from fastsegmetrics.catalog import protocol_metrics as protocol_metrics
from fastsegmetrics.conventions import Conventions as Conventions
from fastsegmetrics.errors import (
    FastSegMetricsError as FastSegMetricsError,
    FormatError as FormatError,
    InputError as InputError,
    MissingExtraError as MissingExtraError,
)
from fastsegmetrics.evaluate import Evaluator as Evaluator
from fastsegmetrics.functional.boundary import (
    BandScore as BandScore,
    BoundaryScore as BoundaryScore,
    CentreLineScore as CentreLineScore,
    boundary_f as boundary_f,
    boundary_iou as boundary_iou,
    cl_dice as cl_dice,
)
from fastsegmetrics.functional.labels import (
    ClassOverlap as ClassOverlap,
    LabelOverlap as LabelOverlap,
    label_overlap as label_overlap,
    multilabel_overlap as multilabel_overlap,
)
from fastsegmetrics.functional.overlap import (
    Overlap as Overlap,
    overlap as overlap,
    soft_dice as soft_dice,
)
from fastsegmetrics.functional.photo_maps import (
    camouflage_degree as camouflage_degree,
    difficulty_maps as difficulty_maps,
)
from fastsegmetrics.functional.spatial import (
    CorrectionEffort as CorrectionEffort,
    DifficultyScore as DifficultyScore,
    WeightedScore as WeightedScore,
    c_beta as c_beta,
    c_beta_w as c_beta_w,
    difficulty as difficulty,
    hce as hce,
    ms_iou as ms_iou,
    si_mae as si_mae,
    size_invariant as size_invariant,
    weighted_f as weighted_f,
)
from fastsegmetrics.functional.surface import (
    SurfaceDistances as SurfaceDistances,
    assd as assd,
    hd as hd,
    hd95 as hd95,
    masd as masd,
    nsd as nsd,
    surface_distances as surface_distances,
)
from fastsegmetrics.functional.sweep import (
    CurvePair as CurvePair,
    StructureScore as StructureScore,
    SweepScore as SweepScore,
    accuracy as accuracy,
    ap as ap,
    auc as auc,
    ber as ber,
    cohen_kappa as cohen_kappa,
    dice as dice,
    e_measure as e_measure,
    f1 as f1,
    f_beta as f_beta,
    fpr as fpr,
    iou as iou,
    kappa as kappa,
    mae as mae,
    measure as measure,
    pr_curve as pr_curve,
    precision as precision,
    recall as recall,
    roc_curve as roc_curve,
    s_measure as s_measure,
    specificity as specificity,
)
from fastsegmetrics.functional.targets import (
    Detection as Detection,
    HierarchicalIoU as HierarchicalIoU,
    PairErrors as PairErrors,
    TargetErrors as TargetErrors,
    detection as detection,
    hiou as hiou,
    target_f1 as target_f1,
    target_precision as target_precision,
    target_recall as target_recall,
)
from fastsegmetrics.plan import Measurement as Measurement, Plan as Plan
from fastsegmetrics.protocol.value import Protocol as Protocol
from fastsegmetrics.reporting.cases import CaseMean as CaseMean, Cases as Cases
from fastsegmetrics.reporting.evaluation_contract import EvaluationContract as EvaluationContract
from fastsegmetrics.reporting.intervals import (
    Interval as Interval,
    bootstrap_mean as bootstrap_mean,
    bootstrap_pooled as bootstrap_pooled,
)
from fastsegmetrics.reporting.paired import (
    PairedComparison as PairedComparison,
    compare_methods as compare_methods,
)
from fastsegmetrics.results import (
    Aggregate as Aggregate,
    Contract as Contract,
    Result as Result,
)
from fastsegmetrics.statistics.difficulty import DifficultyMaps as DifficultyMaps
from fastsegmetrics.strata import Strata as Strata
from fastsegmetrics.target import Target as Target

__version__: str
