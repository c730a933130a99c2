import { execFile } from 'node:child_process'
import { type Lookup, readAudit } from './npm-audit.ts'

/**
 * `npm run vulnerabilities`: looks the packages that production installs up among known vulnerabilities. Ends with 1 for
 * one that is high or critical; a registry that cannot be asked is said and is no fault of the packages.
 */
async function lookUp(): Promise<Lookup> {
  // With vulnerabilities npm ends with 1, too.
  const printed = await new Promise<string>((resolve) => {
    execFile('npm', ['audit', '--omit=dev', '--json'], { maxBuffer: 64 * 2 ** 20 }, (_error, stdout) => resolve(stdout))
  })
  return readAudit(printed)
}

const lookup = await lookUp()
if (lookup.state === 'unknown') process.stdout.write(`NOT LOOKED UP: known vulnerabilities (${lookup.reason})\n`)
else {
  for (const { name, severity, titles } of lookup.found) process.stdout.write(`${severity}: ${name}: ${titles.join('; ')}\n`)
  const urgent = lookup.found.filter(({ severity }) => severity === 'high' || severity === 'critical')
  process.stdout.write(`${lookup.found.length} packages with known vulnerabilities, ${urgent.length} of them high or critical\n`)
  if (urgent.length > 0) process.exitCode = 1
}
