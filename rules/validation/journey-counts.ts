/** Sessions of a journey before its last one with the last one's factor A and the original preference (paper, B.3). */
export const ORIGINAL_SESSIONS = 2;

/** With factor A and the changed preference; the last session, which is not among them, carries it as well. */
export const CHANGED_SESSIONS = 2;

/** With A's contrastive partner. */
export const PARTNER_SESSIONS = 2;
