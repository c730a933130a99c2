/** Instance id of jobs that belong to no customer. */
export const HOUSE = '00000000-0000-0000-0000-000000000000'
