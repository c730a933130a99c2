import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { makeDataFolder } from './data-folder.ts'
import { createKeyFolder, type KeyFile, newKey, readKeyFiles, rereadKeyFiles, writeKeyFile } from './key-files.ts'

/** Key-encryption key: wraps the data key of each secret. */
export interface SealingKey {
  id: string
  /** 32 bytes, for AES-256. */
  bytes: Uint8Array
}

/** Ed25519 key pair for our JSON Web Tokens; `id` is the token's `kid`. */
export interface SigningKey {
  id: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** Key ring of one purpose: the newest key writes, all of them read, so that a rotation interrupts nothing. */
export interface KeyRing<K> {
  newest: K
  find(id: string): K | undefined
  /** Oldest first. */
  all: readonly K[]
}

/** Sealing key ring that grows at run time: a key added by another process is loaded on demand. */
export interface ReloadableKeyRing extends KeyRing<SealingKey> {
  /** Loads keys that were added. */
  refresh(): void
}

/** All key rings; each purpose has its own keys. */
export interface Keys {
  sealing: ReloadableKeyRing
  signing: KeyRing<SigningKey>
  /** 32 bytes for HMAC-SHA-256 of tokens and lookup values. Never rotated: stored hashes depend on it. */
  tokenHash: Uint8Array
}

type RotatingPurpose = 'sealing' | 'signing'

/**
 * Opens the keys in `dataDir/keys`, created at the first start. Files have mode 0600 in a folder of mode 0700; throws
 * on wider modes, a damaged file or a missing purpose. A backup needs this folder and the database: neither is usable
 * alone.
 */
export async function openKeys(dataDir: string): Promise<Keys> {
  const folder = join(dataDir, 'keys')
  const files = (await readKeyFiles(folder)) ?? (await createKeys(dataDir, folder))
  return {
    sealing: reloadableKeyRing(folder, files),
    signing: toRing(folder, 'signing', files, toSigningKey),
    tokenHash: toRing(folder, 'token-hash', files, (file) => file).newest.bytes,
  }
}

/**
 * Key rotation: adds a key that becomes the newest: a sealing key as soon as a process sees it, others at the next
 * `openKeys`. What older keys wrote stays readable. Returns its id.
 */
export async function addKey(dataDir: string, purpose: RotatingPurpose): Promise<string> {
  const folder = join(dataDir, 'keys')
  const numbers = ((await readKeyFiles(folder)) ?? []).filter((file) => file.purpose === purpose).map((file) => file.number)
  const key = makeKey(purpose, Math.max(0, ...numbers) + 1)
  await writeKeyFile(folder, key)
  return key.id
}

async function createKeys(dataDir: string, folder: string): Promise<KeyFile[]> {
  await makeDataFolder(dataDir)
  await createKeyFolder(folder, [makeKey('sealing', 1), makeKey('signing', 1), newKey('token-hash', 1)])
  return (await readKeyFiles(folder)) ?? []
}

function makeKey(purpose: RotatingPurpose, number: number): KeyFile {
  if (purpose === 'sealing') return newKey(purpose, number)
  return newKey(purpose, number, generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }))
}

function toSigningKey({ id, bytes }: KeyFile): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' })
  return { id, privateKey, publicKey: createPublicKey(privateKey) }
}

/** A value sealed by an unknown key was sealed after the folder was last read. */
function reloadableKeyRing(folder: string, files: KeyFile[]): ReloadableKeyRing {
  const toSealing = (found: KeyFile[]) => toRing(folder, 'sealing', found, ({ id, bytes }) => ({ id, bytes }))
  let ring = toSealing(files)
  const refresh = (): void => {
    const found = rereadKeyFiles(folder)
    if (found.some(({ id }) => !ring.find(id))) ring = toSealing(found)
  }
  return {
    get newest() {
      return ring.newest
    },
    get all() {
      return ring.all
    },
    find: (id) => {
      if (!ring.find(id)) refresh()
      return ring.find(id)
    },
    refresh,
  }
}

function toRing<K extends { id: string }>(folder: string, purpose: string, files: KeyFile[], toKey: (file: KeyFile) => K): KeyRing<K> {
  const all = files.filter((file) => file.purpose === purpose).map(toKey)
  const newest = all.at(-1)
  if (newest === undefined) throw new Error(`${folder} has no key for ${purpose}; restore the folder from its backup`)
  return { newest, find: (id) => all.find((key) => key.id === id), all }
}
