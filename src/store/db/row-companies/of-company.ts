/**
 * Condition that a row belongs to a company, given as a parameter. Rows from before the migration `company-of-rows` may
 * lack it: until all of them are filled PostgreSQL drops the condition when it plans, and afterwards the part before it.
 */
export function ofCompany(column: string, parameter: string): string {
  return `(rows_lack_company() or ${column} = ${parameter})`
}
