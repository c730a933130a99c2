import { CHECKS } from '../../src/cli/doctor/checks.ts'

export const DOCTOR_GUIDE = 'docs/guides/doctor.md'

const START = '<!-- Checks: written by `npm run docs` from the code. -->'
const END = '<!-- End of checks. -->'

/** The guide with the table of all checks between its markers. Throws if a marker is missing. */
export function describeDoctor(guide: string): string {
  const [from, to] = [guide.indexOf(START), guide.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`${DOCTOR_GUIDE} lacks the markers of its table`)
  const rows = Object.entries(CHECKS).map(([id, { severity, finds, cure }]) => `| \`${id}\` | ${severity} | ${finds} | ${cure} |`)
  const table = ['| check | severity | finds | cure |', '| --- | --- | --- | --- |', ...rows].join('\n')
  return `${guide.slice(0, from)}${START}\n\n${table}\n\n${guide.slice(to)}`
}
