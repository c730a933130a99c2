import { editDistance } from '../../model/texts/nearest.ts'

/** Maximum edit distance; longer names may differ in more letters. */
const MAX_LETTERS = 3

/**
 * Variables of OpenSSL, which many machines set, near to `TLS_CERT_FILE`.
 * Source: https://docs.openssl.org/3.5/man7/openssl-env/
 */
const OF_OTHERS: readonly string[] = ['SSL_CERT_FILE', 'SSL_CERT_DIR']

/** Name of the setting that `name` is likely to stand for. Short names (`PORT`) have too many legitimate neighbours. */
function findMeant(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name) || OF_OTHERS.includes(name)) return undefined
  return known.find((one) => one.length >= 7 && isNear(name.toUpperCase(), one))
}

/** Environment variables with a name similar to a setting's. */
export function findMisspelt(names: readonly string[], known: readonly string[]): { name: string; meant: string }[] {
  return names.flatMap((name) => {
    const meant = findMeant(name, known)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

function isNear(name: string, wanted: string): boolean {
  const most = Math.min(MAX_LETTERS, Math.floor(wanted.length / 4))
  return Math.abs(name.length - wanted.length) <= most && editDistance(name, wanted) <= most
}
