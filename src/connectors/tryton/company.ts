import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { SourceError } from '../contract/contract.ts'
import type { TrytonCalls, TrytonSecret } from './request.ts'
import { toStampText } from './stamps.ts'
import { TrytonStamp } from './wire.ts'

const CompanyRows = Type.Array(
  Type.Object({
    create_date: Type.Union([TrytonStamp, Type.Null()]),
    'party.': Type.Union([Type.Object({ name: Type.String() }), Type.Null()]),
  }),
)

export interface TrytonCompany {
  name: string
  createdAt: string | null
}

/** Throws `reconnect` when the company is gone or hidden from the user. */
export async function readCompany(calls: TrytonCalls, companyId: number): Promise<TrytonCompany> {
  const { result } = await calls.fetch('model.company.company.search_read', [
    [['id', '=', companyId]],
    0,
    1,
    null,
    ['party.name', 'create_date'],
    {},
  ])
  if (!Value.Check(CompanyRows, result)) throw new SourceError('badData', 'Tryton: the company is no record')
  const row = result[0]
  if (!row) throw new SourceError('reconnect', 'Tryton: the company does not exist any more or is hidden from the user')
  return { name: row['party.']?.name ?? '', createdAt: row.create_date && toStampText(row.create_date) }
}

/**
 * `database/company/instant`. The instant at which the company was created, to the microsecond, survives a move to
 * another address.
 */
export function toEntityId(database: string, companyId: number, company: TrytonCompany): string {
  return [database, String(companyId), ...(company.createdAt === null ? [] : [company.createdAt])].join('/')
}

/** Guards against a database that was replaced under the same name. */
export async function checkCompany(calls: TrytonCalls, secret: TrytonSecret, entityId: string): Promise<void> {
  const company = await readCompany(calls, secret.companyId)
  if (toEntityId(secret.database, secret.companyId, company) !== entityId) {
    throw new SourceError('reconnect', 'Tryton: the database holds another company than the one that was connected', {
      reason: 'otherEntity',
    })
  }
}
