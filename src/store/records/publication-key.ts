import type { RecordScope } from './records.ts'

/** The key under which versions are asked for in bulk. */
export function toPublicationKey(scope: RecordScope): string {
  return `${scope.instanceId}/${scope.companyId}/${scope.serviceId}`
}
