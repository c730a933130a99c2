/** Whether an error has one of these codes: those of the system (`ENOENT`), of PostgreSQL (`23505`), or of another library. */
export function hasCode(error: unknown, ...codes: readonly (string | number)[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code)
}
