/** Instance id of jobs that belong to no customer. */
export const SYSTEM_INSTANCE_ID = '00000000-0000-0000-0000-000000000000'
