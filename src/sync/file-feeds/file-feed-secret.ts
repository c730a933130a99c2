import type { SshSecret } from '../../egress/ssh.ts'
import { openJson, sealJson } from '../../store/keys/sealed-json.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { FeedKey } from '../../store/sources/file-feeds.ts'
import type { Vault } from '../context/groups.ts'
import { hideAll } from '../context/hide-all.ts'

export function sealSecret(sealer: Sealer, key: FeedKey, secret: SshSecret): Uint8Array {
  return sealJson(sealer, sealContextOf(key), secret)
}

export function openSecret(vault: Vault, key: FeedKey, sealed: Uint8Array): SshSecret {
  const secret = openJson<SshSecret>(vault.sealer, sealContextOf(key), sealed)
  hideAll(vault.hide, secret)
  return secret
}

function sealContextOf({ instanceId, id }: FeedKey) {
  return { instanceId, table: 'file_feeds', rowId: id, column: 'secret' }
}
