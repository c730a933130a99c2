import type { FeedKey } from '../../store/sources/file-feeds.ts'
import type { SyncDeps } from '../context/deps.ts'
import type { SftpSecret } from './file-feed-sftp.ts'

export function sealSecret(deps: Pick<SyncDeps, 'sealer'>, key: FeedKey, secret: SftpSecret): Uint8Array {
  return deps.sealer.seal(sealContextOf(key), Buffer.from(JSON.stringify(secret)))
}

export function openSecret(deps: Pick<SyncDeps, 'sealer' | 'hide'>, key: FeedKey, sealed: Uint8Array): SftpSecret {
  const secret = JSON.parse(Buffer.from(deps.sealer.open(sealContextOf(key), sealed)).toString('utf8')) as SftpSecret
  for (const value of Object.values(secret)) if (typeof value === 'string') deps.hide(value)
  return secret
}

function sealContextOf({ instanceId, id }: FeedKey) {
  return { instanceId, table: 'file_feeds', rowId: id, column: 'secret' }
}
