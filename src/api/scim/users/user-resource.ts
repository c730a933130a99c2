import type { ScimUser } from '../../../store/provisioning/scim-users.ts'
import { type Resource, toVersion } from '../messages/resource.ts'
import { USER } from '../messages/schemas.ts'

/** A user as SCIM shows it; `base` is the address of the SCIM API. */
export function toUserResource(user: ScimUser, base: string): Resource {
  const { id, externalId, userName, attributes, isActive, groups, createdOn, updatedOn } = user
  const resource = {
    schemas: [USER],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName,
    ...(attributes.name === undefined ? {} : { name: attributes.name }),
    ...(attributes.displayName === undefined ? {} : { displayName: attributes.displayName }),
    ...(attributes.emails === undefined ? {} : { emails: attributes.emails }),
    active: isActive,
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map((group) => ({
            value: group.id,
            display: group.displayName,
            $ref: `${base}/Groups/${group.id}`,
            type: 'direct',
          })),
        }),
  }
  const meta = {
    resourceType: 'User',
    created: createdOn.toISOString(),
    lastModified: updatedOn.toISOString(),
    location: `${base}/Users/${id}`,
  }
  return { ...resource, meta: { ...meta, version: toVersion([resource, meta.lastModified]) } }
}
