import type { OldKey } from '../../store/keys/old-keys.ts'
import { defineCommand } from '../command/command.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'looks for faults of the deployment, and names the cure of each',
  description: [
    'Looks at the settings, folders, keys, PostgreSQL, the work that waits, the mail server, and whether BASE_URL answers with this deployment. It changes nothing, and can be run beside the service, as its user and with its settings. docs/guides/doctor.md lists all checks.',
    'It also says what still needs each older sealing and token-hash key. A key that nothing needs may be deleted, unless a backup or, for token-hash, an address that was entered at a source needs it.',
    'It names each connection that may carry data in clear, which is no fault by itself; REQUIRE_TLS=true makes it one.',
    'Exit code 1 when there is an error; warnings alone give 0, unless --strict is given.',
  ],
  options: { strict: { summary: 'gives exit code 1 for warnings too' } },
  examples: [
    { line: 'countinghouse doctor', summary: 'after the installation, after each upgrade, and when something is wrong' },
    { line: 'countinghouse doctor --strict --json', summary: 'for a monitoring system' },
  ],
  run: async (values, context) => {
    const [{ examine }, { CHECKS }] = await Promise.all([import('../doctor/examine.ts'), import('../doctor/checks.ts')])
    const { findings, skipped, oldKeys, unencrypted } = await examine(context)
    const errors = findings.filter(({ severity }) => severity === 'error')
    const warnings = findings.length - errors.length
    const sorted = [...errors, ...findings.filter(({ severity }) => severity === 'warning')]
    return {
      document: { checks: Object.keys(CHECKS).length, errors: errors.length, warnings, findings: sorted, skipped, oldKeys, unencrypted },
      text: [
        ...sorted.flatMap(({ id, severity, fact, cure }) => [`${severity}  ${id}`, `  ${fact}`, `  Cure: ${cure}`, '']),
        ...skipped.map((part) => `not looked at: ${part}`),
        ...unencrypted.map((fact) => `not encrypted: ${fact}`),
        ...oldKeys.map(describeOldKey),
        `${Object.keys(CHECKS).length} checks: ${errors.length} errors, ${warnings} warnings.`,
      ].join('\n'),
      isFailure: errors.length > 0 || (values.flag('strict') && warnings > 0),
    }
  },
})

export function describeOldKey({ purpose, id, needs }: OldKey): string {
  const by = needs.map(({ what, count }) => `${count} ${what}`).join(', ')
  return `old key ${purpose} ${id}: ${needs.length > 0 ? `needed by ${by}` : 'nothing in the database needs it'}`
}
