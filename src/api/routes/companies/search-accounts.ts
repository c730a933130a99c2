import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Database } from '../../../store/db/database.ts'
import { indexNoted } from '../../../store/search/account-words.ts'
import { findAccounts } from '../../../store/search/find-accounts.ts'
import { readTexts } from '../../../sync/accounts/evidence.ts'
import { DATA_READ } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { strict, Uuid } from '../../schemas/schemas.ts'

const FoundAccount = strict(
  {
    id: Uuid,
    origId: Type.String(),
    name: Type.String(),
    number: Type.String(),
    category: Type.String({ enum: ['Accounting', 'Banking'] }),
    companyId: Uuid,
    companyName: Type.String(),
    serviceId: Uuid,
    sessionId: Uuid,
  },
  { title: 'FoundAccount' },
)

const MOST = 50
/** Publications since the last search whose words it stores first; the periodic task stores those of the others. */
const INDEXED_FIRST = 20

/** Search for accounts over all companies of an instance. */
export function searchAccountRoutes(deps: { database: Database }): FastifyPluginAsyncTypebox {
  return routes(deps, [searchAccountsRoute])
}

const searchAccountsRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/accounts',
    ...DATA_READ,
    schema: {
      tags: ['Search'],
      summary: 'Accounts of all companies by name, number or id',
      description: `At most ${MOST}. Common words are looked for among the first 2,000 accounts that have them.`,
      operationId: 'searchAccounts',
      querystring: strict({
        search: Type.String({
          minLength: 1,
          maxLength: 100,
          examples: ['compte'],
          description: 'Beginnings of words, with or without accents; last four digits of a number; beginning of an id',
        }),
      }),
      response: { 200: strict({ data: Type.Array(FoundAccount) }, { title: 'FoundAccounts' }) },
    },
  },
  async ({ database }: { database: Database }, request) => {
    const { instanceId } = request.caller
    await indexNoted(database, instanceId, INDEXED_FIRST)
    const found = await findAccounts(database, instanceId, request.query.search, MOST)
    return {
      data: found.map(({ doc, connectionId, ...account }) => {
        const texts = readTexts(doc)
        const text = (name: string) => texts.get(name) ?? ''
        const ofBank = account.category === 'Banking'
        return {
          ...account,
          sessionId: connectionId,
          origId: text('origId'),
          name: text(ofBank ? 'accountName' : 'name'),
          number: text(ofBank ? 'accountNumber' : 'number'),
        }
      }),
    }
  },
)
