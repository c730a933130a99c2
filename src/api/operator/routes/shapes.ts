import { Type } from 'typebox'
import type { Access } from '../../access/access.ts'
import type { RouteDeps } from '../../routes/route-deps.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

import type { InstanceContext } from '../instances.ts'

/** Dependencies of operator routes. */
export interface OperatorDeps extends RouteDeps {
  access: Access
}

export const Email = Type.String({ format: 'email', maxLength: 320, examples: ['ops@example.com'] })
export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', examples: ['Maple Lending'] })
export const Kind = Type.Enum(['test', 'live'], {
  description: 'test: may use the simulators; live: reads real sources only. For good',
})

export const OneTimeLink = strict(
  {
    email: Type.String(),
    address: Type.String({ description: 'Page at which a password is set, once. Shown this once: pass it on like a password' }),
    expiresOn: PlainTimestamp,
  },
  { title: 'OneTimeLink' },
)

export const InstanceShape = strict(
  {
    ...{ id: Uuid, name: Type.String(), kind: Kind, createdOn: PlainTimestamp },
    requiresTwoStep: Type.Boolean({ description: 'Whether its users need a second step' }),
    suspension: orNull(strict({ since: PlainTimestamp, reason: Type.String() })),
  },
  { title: 'Instance' },
)

export function contextOf({ access, settings }: OperatorDeps): InstanceContext {
  const { database, keys, hashes, hashing, now } = access
  return { database, keys, hashes, hashing, now, publicUrl: settings.publicUrl }
}
