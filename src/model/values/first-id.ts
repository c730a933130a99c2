/** UUID that sorts before every other: the start of a walk by id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** UUID that sorts after every other: the end of a walk by id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
