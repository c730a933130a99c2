import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { makeDataFolder } from './data-folder.ts'
import { createKeyFolder, type KeyFile, newKey, readKeyFiles, rereadKeyFiles, writeKeyFile } from './key-files.ts'
import { ReloadableKeyRing } from './key-ring.ts'
import type { KeysElsewhere } from './keys-elsewhere.ts'
import { PURPOSES, type Purpose } from './purposes.ts'

/** Key-encryption key: wraps the data key of each secret. */
export interface SealingKey {
  id: string
  /** 32 bytes, for AES-256. */
  bytes: Uint8Array
}

/** Ed25519 key pair for our JSON Web Tokens and receipts; `id` is the `kid`. */
export interface SigningKey {
  id: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** Key of the keyed hash of tokens and lookup values (HMAC-SHA-256). */
export interface HashKey {
  id: string
  /** 32 bytes. */
  bytes: Uint8Array
}

/** All key rings; each purpose has its own keys. */
export interface Keys {
  sealing: ReloadableKeyRing<SealingKey>
  signing: ReloadableKeyRing<SigningKey>
  tokenHash: ReloadableKeyRing<HashKey>
}

/**
 * Opens the keys in `dataDir/keys`, created at the first start. Files have mode 0600 in a folder of mode 0700; throws
 * on wider modes, a damaged file or a missing purpose. Keys from `elsewhere` are never created. A backup needs this
 * folder and the database: neither is usable alone.
 */
export async function openKeys(dataDir: string, now: () => Date = () => new Date(), elsewhere: KeysElsewhere | null = null): Promise<Keys> {
  const folder = join(dataDir, 'keys')
  const files = elsewhere?.read() ?? (await readKeyFiles(folder)) ?? (await createKeys(dataDir, folder))
  const source = { place: elsewhere?.name ?? folder, reread: () => elsewhere?.read() ?? rereadKeyFiles(folder), files, now }
  const toSecret = ({ id, bytes }: KeyFile) => ({ id, bytes })
  return {
    // A value sealed by an unknown key was sealed after the folder was last read.
    sealing: new ReloadableKeyRing({ ...source, purpose: 'sealing', toKey: toSecret, looksForUnknown: true }),
    signing: new ReloadableKeyRing({ ...source, purpose: 'signing', toKey: toSigningKey }),
    tokenHash: new ReloadableKeyRing({ ...source, purpose: 'token-hash', toKey: toSecret }),
  }
}

/** Loads keys that were added to the folder since it was opened. */
export function refreshKeys(keys: Keys): void {
  for (const ring of [keys.sealing, keys.signing, keys.tokenHash]) ring.refresh()
}

/**
 * Key rotation: adds a key that reads as soon as a process has loaded it, and writes from `from` on (null: at once).
 * What older keys wrote stays readable. Returns its id.
 */
export async function addKey(dataDir: string, purpose: Purpose, from: Date | null = null): Promise<string> {
  const folder = join(dataDir, 'keys')
  const numbers = ((await readKeyFiles(folder)) ?? []).filter((file) => file.purpose === purpose).map((file) => file.number)
  const key = makeKey(purpose, Math.max(0, ...numbers) + 1, from)
  await writeKeyFile(folder, key)
  return key.id
}

async function createKeys(dataDir: string, folder: string): Promise<KeyFile[]> {
  await makeDataFolder(dataDir)
  await createKeyFolder(
    folder,
    PURPOSES.map((purpose) => makeKey(purpose, 1, null)),
  )
  return (await readKeyFiles(folder)) ?? []
}

function makeKey(purpose: Purpose, number: number, from: Date | null): KeyFile {
  if (purpose !== 'signing') return newKey(purpose, number, from)
  return newKey(purpose, number, from, generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }))
}

function toSigningKey({ id, bytes }: KeyFile): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' })
  return { id, privateKey, publicKey: createPublicKey(privateKey) }
}
