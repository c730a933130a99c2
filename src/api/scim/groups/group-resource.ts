import type { ScimGroup } from '../../../store/provisioning/scim-groups.ts'
import type { Resource } from '../messages/resource.ts'
import { GROUP } from '../messages/schemas.ts'

export function versionOf({ version }: ScimGroup): string {
  return `W/"${version}"`
}

/** A group as SCIM shows it; `base` is the address of the SCIM API. */
export function toGroupResource(group: ScimGroup, memberIds: readonly string[], base: string): Resource {
  const { id, externalId, displayName, createdOn, updatedOn } = group
  return {
    schemas: [GROUP],
    id,
    ...(externalId === null ? {} : { externalId }),
    displayName,
    ...(memberIds.length === 0 ? {} : { members: memberIds.map((value) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' })) }),
    meta: {
      resourceType: 'Group',
      created: createdOn.toISOString(),
      lastModified: updatedOn.toISOString(),
      location: `${base}/Groups/${id}`,
      version: versionOf(group),
    },
  }
}
