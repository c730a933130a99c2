import { Type } from 'typebox'
import type { Db } from '../../store/db/database.ts'
import { isNearBound, listQuotas, QUOTA_NAMES } from '../../store/operators/quotas.ts'
import { orNull, strict } from './schemas.ts'

export const QuotaShape = strict(
  {
    name: Type.Enum(QUOTA_NAMES, {
      description:
        'replays: under way; storedBytes: files of owners and answers of sources, as they are stored; uploads: in flight; requestsPerMinute: in each process; used is the most that one process had within a minute of the last 15',
    }),
    used: orNull(Type.Integer({ description: 'Never null' })),
    bound: orNull(Type.Integer({ description: 'Null: no bound' })),
    isDefault: Type.Boolean({ description: 'Whether the bound is that of the deployment' }),
    isNear: Type.Boolean({ description: 'Whether 80 % or more is used' }),
  },
  { title: 'Quota' },
)

export async function readQuotas(db: Db, instanceId: string) {
  return (await listQuotas(db, instanceId)).map((quota) => ({ ...quota, isNear: isNearBound(quota) }))
}
