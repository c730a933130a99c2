/** UUID that sorts before every other: where a walk by id begins. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
