import type { SshSecret } from '../../egress/ssh.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { FeedKey } from '../../store/sources/file-feeds.ts'
import type { Vault } from '../context/groups.ts'

export function sealSecret(sealer: Sealer, key: FeedKey, secret: SshSecret): Uint8Array {
  return sealer.seal(sealContextOf(key), Buffer.from(JSON.stringify(secret)))
}

export function openSecret(vault: Vault, key: FeedKey, sealed: Uint8Array): SshSecret {
  const secret = JSON.parse(Buffer.from(vault.sealer.open(sealContextOf(key), sealed)).toString('utf8')) as SshSecret
  for (const value of Object.values(secret)) if (typeof value === 'string') vault.hide(value)
  return secret
}

function sealContextOf({ instanceId, id }: FeedKey) {
  return { instanceId, table: 'file_feeds', rowId: id, column: 'secret' }
}
