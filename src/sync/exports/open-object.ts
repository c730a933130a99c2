import type { Egress } from '../../egress/egress.ts'
import type { SshSecret } from '../../egress/ssh.ts'
import { openObject as openS3Object, StorageRefused } from '../../object-storage/s3-object.ts'
import { type Destination, type DestinationOf, destinationContext } from '../../store/exports/destinations.ts'
import { openText } from '../../store/keys/sealed-json.ts'
import { SealError } from '../../store/keys/sealing.ts'
import type { Store, Vault } from '../context/groups.ts'
import { hideAll } from '../context/hide-all.ts'
import { openSftpFile, sftpPath } from './sftp-storage.ts'
import type { DeliveredObject } from './stored-object.ts'

export interface DestinationContext extends Store, Vault {
  egress: Egress
  /** Whether SFTP servers may be on loopback and private addresses; the egress decides that for HTTP. */
  allowPrivate: boolean
}

/** Name of an export's object at a destination; null for a destination that takes no files. */
export function objectKeyOf(destination: Destination, fileName: string): string | null {
  if (destination.kind === 's3') return `${destination.prefix}${fileName}`
  return destination.kind === 'sftp' ? sftpPath(destination, fileName) : null
}

/** Must be closed. Throws `StorageRefused`. */
export function openObject(deps: DestinationContext, destination: Destination, objectKey: string): DeliveredObject {
  const secret = openDestinationSecret(deps, destination, (message) => new StorageRefused(message, 0, ''))
  if (destination.kind === 's3') {
    deps.hide(secret)
    return openInBucket(deps, destination, secret, objectKey)
  }
  if (destination.kind === 'postgres') throw new StorageRefused('A database takes no files.', 0, '', true)
  const login: SshSecret = JSON.parse(secret)
  hideAll(deps.hide, login)
  return openSftpFile(destination, login, objectKey, deps.allowPrivate)
}

function openInBucket(
  { egress }: DestinationContext,
  bucket: DestinationOf<'s3'>,
  secretAccessKey: string,
  objectKey: string,
): DeliveredObject {
  const object = openS3Object(egress, { ...bucket, secretAccessKey }, objectKey)
  return { ...object, putPart: (uploadId, { number }, body) => object.putPart(uploadId, number, body), close: () => undefined }
}

/** Secret of a destination. Throws what `refuse` makes of the text if no key of the deployment opens it. */
export function openDestinationSecret(
  { sealer }: Pick<Vault, 'sealer'>,
  destination: Destination,
  refuse: (message: string) => Error,
): string {
  try {
    return openText(sealer, destinationContext(destination), destination.secret)
  } catch (error) {
    throw error instanceof SealError ? refuse('The key of the destination cannot be opened.') : error
  }
}
