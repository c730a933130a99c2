import type { FeedPlace } from '../../store/sources/file-feeds.ts'
import type { SyncDeps } from '../deps.ts'
import type { SftpSecret } from './file-feed-sftp.ts'

export function sealSecret(deps: Pick<SyncDeps, 'sealer'>, place: FeedPlace, secret: SftpSecret): Uint8Array {
  return deps.sealer.seal(contextOf(place), Buffer.from(JSON.stringify(secret)))
}

export function openSecret(deps: Pick<SyncDeps, 'sealer' | 'hide'>, place: FeedPlace, sealed: Uint8Array): SftpSecret {
  const secret = JSON.parse(Buffer.from(deps.sealer.open(contextOf(place), sealed)).toString('utf8')) as SftpSecret
  for (const value of Object.values(secret)) if (typeof value === 'string') deps.hide(value)
  return secret
}

function contextOf({ instanceId, id }: FeedPlace) {
  return { instanceId, table: 'file_feeds', rowId: id, column: 'secret' }
}
