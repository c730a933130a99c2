import type { RecordScope } from './records.ts'

/** Key for bulk queries of versions. */
export function toPublicationKey(scope: RecordScope): string {
  return `${scope.instanceId}/${scope.companyId}/${scope.serviceId}`
}

export function companyIdOf(publicationKey: string): string | undefined {
  return publicationKey.split('/')[1]
}
