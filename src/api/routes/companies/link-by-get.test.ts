import { expect, it } from 'vitest'
import { openApiHarness } from '../../../../test/api/harness.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'

const api = openForTests(openApiHarness)

async function askForLink(headers: Record<string, string>): Promise<[number, number]> {
  const { companyId, deps } = api.syncHarness
  const path = `/normalized-data/company/${companyId}/data-connection/${api.syncHarness.serviceId(api.bank)}/link`
  const { statusCode } = await api.call('GET', path, { headers })
  const { rows } = await deps.database.query<{ links: number }>('select count(*)::int as links from links')
  return [statusCode, rows[0]?.links ?? 0]
}

it('a link is made by GET for programs and for pages of this deployment', async () => {
  const [, before] = await askForLink({})
  expect(await askForLink({ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' })).toEqual([
    200,
    before + 1,
  ])
})

it.each([
  ['another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }],
  ['another host of this site', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' }],
  ['an address that was typed', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
  ['a picture', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }],
  ['a frame', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }],
])('and none for %s', async (_what, headers) => {
  const [, before] = await askForLink({})
  expect(await askForLink(headers)).toEqual([403, before])
})
