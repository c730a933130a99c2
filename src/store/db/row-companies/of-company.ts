/**
 * Condition that a row belongs to a company, given as a parameter. Rows from before the migration `company-of-rows` may
 * lack it: until all of them are filled PostgreSQL drops the condition when it plans, and afterwards the part before it.
 */
export function ofCompany(column: string, parameter: string): string {
  return `(rows_lack_company() or ${column} = ${parameter})`
}

/** Condition on rows of a connection: instance ($1), connection ($2) and company ($3). */
export const OF_CONNECTION = `instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')}`
