import { expect, it } from 'vitest'
import type { Api } from './api.ts'
import { getConnection, listCurrentConnections } from './find.ts'

const connection = (sessionId: string, serviceId: string, isCurrent: boolean) => ({ sessionId, serviceId, serviceName: 'Books', isCurrent })

/** Answers each list with these items. */
const answering = (data: unknown[]) => ({ read: async () => ({ data }) }) as unknown as Api

it('takes the current connection of a service, not a later attempt', async () => {
  const [active, attempt, other] = [connection('1', 'a', true), connection('2', 'a', false), connection('3', 'b', true)]
  const api = answering([active, attempt, other])
  expect(await listCurrentConnections(api, 'company')).toEqual([active, other])
  expect(await getConnection(api, 'company', 'A')).toEqual(active)
  await expect(getConnection(api, 'company', 'books')).rejects.toThrow('more than one')
})
