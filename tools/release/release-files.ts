import { compareReleases, isRelease } from '../../src/model/release.ts'

/** An input error, as a message for the person who releases. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}

/** Throws unless `version` is a release after `current`. */
export function checkVersion(version: string, current: string): void {
  if (!isRelease(version)) throw new ReleaseError(`${version} is not a release such as 1.2.0`)
  if (compareReleases(version, current) <= 0) throw new ReleaseError(`${version} does not come after ${current}`)
}

const UNRELEASED = '## Unreleased\n'
const OPERATORS = '### What operators must do\n'

/**
 * The changelog with the unreleased section dated as that of the release, and a new empty one before it. Throws if
 * that section does not say what operators must do, or nothing else.
 */
export function dateChangelog(changelog: string, version: string, day: string): string {
  const start = changelog.indexOf(UNRELEASED)
  if (start === -1) throw new ReleaseError('CHANGELOG.md has no part "## Unreleased"')
  const end = changelog.indexOf('\n## ', start + UNRELEASED.length)
  const part = changelog.slice(start + UNRELEASED.length, end === -1 ? undefined : end)
  const operators = part.indexOf(OPERATORS)
  if (operators === -1 || !/^\n- /.test(part.slice(operators + OPERATORS.length)))
    throw new ReleaseError(
      'the unreleased part of CHANGELOG.md does not say what operators must do; write "- Nothing." where it is nothing',
    )
  if (!/\n### (Added|Changed|Fixed|Removed)\n\n- /.test(part)) throw new ReleaseError('the unreleased part of CHANGELOG.md names no change')
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${day})\n`)
}

/** The Helm chart with another version of itself and of the service. */
export function replaceChartVersion(text: string, from: string, to: string): string {
  const replaced = text.replace(new RegExp(`^(version|appVersion): ${from.replaceAll('.', '\\.')}$`, 'gm'), `$1: ${to}`)
  if (replaced.split(`ersion: ${to}`).length !== 3) throw new ReleaseError(`version ${from} was not found in the chart`)
  return replaced
}

/** `package.json` or `package-lock.json` with another version of the project itself. */
export function replaceVersion(text: string, from: string, to: string): string {
  const isLock = text.includes('"lockfileVersion"')
  let left = isLock ? 2 : 1
  const replaced = text.replaceAll(`"version": "${from}"`, (found) => {
    left -= 1
    return left >= 0 ? `"version": "${to}"` : found
  })
  if (left > 0) throw new ReleaseError(`version ${from} was not found`)
  return replaced
}
