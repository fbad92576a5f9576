"""Words of a decline that say nothing about what is declined."""

from __future__ import annotations

DECLINE_WORDS = frozenset(
    """
    find found answer determine locate confirm verify say tell identify see know establish conclude help
    evidence information data detail details basis support mention mentions mentioned address addresses
    addressed specify specifies specified state states stated discuss discusses indicate describe define
    definition refer reference speak deal touch contain contains include provide provided give given disclose
    disclosed list name show cover covered silent silence available present explicit explicitly specific
    specifically exact exactly express expressly direct directly clear clearly clause provision sorry
    unfortunately able unable enough sufficient insufficient retrieved retrieval search based relevant related
    nothing none any anything particular topic subject matter issue point question whether
    regarding concerning record
    records indication result results statement value figure number date year amount one ones afraid regret
    regrettably sadly apologies apologize apologise appear seem looked searched checked reviewed
    """.split()  # noqa: SIM905 (a set of words reads better as lines of them)
)
