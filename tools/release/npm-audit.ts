import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { parseJsonOrNull } from '../../src/model/values/json.ts'

/** Result of a lookup of known vulnerabilities. */
export type Lookup =
  | { state: 'known'; found: { name: string; severity: string; titles: string[] }[] }
  /** The registry could not be asked. */
  | { state: 'unknown'; reason: string }

/**
 * Printed by `npm audit --json`; `via` names other packages, or advisories.
 * Source: https://docs.npmjs.com/cli/commands/npm-audit
 */
const Audit = Type.Object({
  vulnerabilities: Type.Record(
    Type.String(),
    Type.Object({
      name: Type.String(),
      severity: Type.String(),
      via: Type.Array(Type.Union([Type.String(), Type.Object({ title: Type.String() })])),
    }),
  ),
})
const Failure = Type.Object({ message: Type.String() })

export function readAudit(printed: string): Lookup {
  const audit = parseJsonOrNull(printed)
  if (Check(Audit, audit)) {
    const found = Object.values(audit.vulnerabilities).map(({ name, severity, via }) => ({
      ...{ name, severity },
      titles: via.map((each) => (typeof each === 'string' ? `by ${each}` : each.title)),
    }))
    return { state: 'known', found }
  }
  const [line = ''] = (Check(Failure, audit) ? audit.message : 'npm audit printed something else').split(' - ')
  return { state: 'unknown', reason: line }
}
