/** Fault of a private key or its passphrase. */
export type KeyFault = 'unreadable' | 'public' | 'passphraseMissing' | 'passphraseWrong' | 'passphraseSlow'

/** Maximum bcrypt rounds of an OpenSSH key; each takes some milliseconds, and `ssh-keygen` writes 16 to 24. */
const MAX_ROUNDS = 64

/**
 * Null when the key is usable. Loads the SSH library, which most deployments never need. Formats: OpenSSH, PEM (`BEGIN
 * RSA PRIVATE KEY` and the like) and PuTTY.
 */
export async function findKeyFault(privateKey: string, passphrase: string | undefined): Promise<KeyFault | null> {
  if (roundsOf(privateKey) > MAX_ROUNDS) return 'passphraseSlow'
  const { default: ssh2 } = await import('ssh2')
  const parsed = ssh2.utils.parseKey(privateKey, passphrase)
  if (!(parsed instanceof Error)) return [parsed].flat().some((key) => key.isPrivateKey()) ? null : 'public'
  if (/no passphrase given/i.test(parsed.message)) return 'passphraseMissing'
  return passphrase !== undefined && /bad passphrase|bad decrypt|integrity|Failed to generate/i.test(parsed.message)
    ? 'passphraseWrong'
    : 'unreadable'
}

/**
 * Key derivation rounds of an OpenSSH key; 0 for one without. Layout: magic, cipher, kdf, kdf options (salt, rounds),
 * each length-prefixed. Source: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
 */
function roundsOf(privateKey: string): number {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(privateKey)?.[1]
  const bytes = Buffer.from(body ?? '', 'base64')
  let at = 'openssh-key-v1\0'.length
  for (let skipped = 0; skipped < 2; skipped += 1) {
    if (at + 4 > bytes.length) return 0
    at += 4 + bytes.readUInt32BE(at)
  }
  if (at + 4 > bytes.length) return 0
  const end = at + 4 + bytes.readUInt32BE(at)
  return end <= bytes.length && end - at >= 12 ? bytes.readUInt32BE(end - 4) : 0
}
