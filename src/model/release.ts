import packageFile from '../../package.json' with { type: 'json' }

/** Release of this program, `MAJOR.MINOR.PATCH`. */
export const RELEASE: string = packageFile.version

/** Order of two releases: negative when `a` is the older one. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [toNumbers(a), toNumbers(b)]
  const differing = left.findIndex((number, index) => number !== right[index])
  return differing === -1 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0)
}

/** Whether the text is a release without a suffix. */
export function isRelease(text: string): boolean {
  return /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(text)
}

function toNumbers(release: string): number[] {
  if (!isRelease(release)) throw new Error(`${release} is not a release such as 1.2.0`)
  return release.split('.').map(Number)
}
