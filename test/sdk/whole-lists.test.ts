import { afterEach, describe, expect, it } from 'vitest'
import { BrokenOffError, type Countinghouse } from '../../sdk/typescript/src/index.ts'
import { type Answer, COMPANY, closeApis, json, openApi, PROBLEM, page } from './scripted-api.ts'

afterEach(closeApis)

describe('a whole list of the TypeScript SDK', () => {
  const options = { path: { companyId: 'c1', serviceId: 's1' }, query: { FilterQuery: 'currency=CAD' } }
  const lines = (text: string, headers: Record<string, string> = {}, isCut = false): Answer => {
    return (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', ...headers })
      response.write(text, () => setImmediate(() => (isCut ? response.destroy() : response.end())))
    }
  }
  const read = async (api: Countinghouse) => {
    const records: unknown[] = []
    const error = await (async () => {
      for await (const record of api.eachRecord('listBankingAccounts', options)) records.push(record)
    })().catch((thrown: unknown) => thrown)
    return { records, error }
  }

  it('is asked for as lines, and is one answer', async () => {
    const { api, requests } = await openApi([lines('{"id":"1"}\n{"id":"2"}\n', { 'x-total-count': '2' })])
    expect(await read(api)).toEqual({ records: [{ id: '1' }, { id: '2' }], error: undefined })
    expect(requests.map(({ url, headers }) => [url, headers.accept, headers.authorization])).toEqual([
      ['/admin/api/v1/normalized-data/c1/banking/accounts/s1?FilterQuery=currency%3DCAD', 'application/x-ndjson', 'Bearer chk_test'],
    ])
  })

  it.each([
    ['breaks off', lines('{"id":"1"}\n', {}, true), /broke off/],
    ['ends within a line', lines('{"id":"1"}\n{"id"'), /ended within a line/],
    ['has fewer records than was said', lines('{"id":"1"}\n', { 'x-total-count': '2' }), /ended after 1 of 2 records/],
    ['ends with an error of the API', lines(`{"id":"1"}\n${JSON.stringify({ error: PROBLEM })}\n`, {}, true), /cannot answer now/],
  ])('that %s is an error that says what to do, and is not begun again', async (_what, answer, words) => {
    const { api, requests } = await openApi([answer, lines('{"id":"1"}\n{"id":"2"}\n')])
    const { records, error } = await read(api)
    expect(records).toEqual([{ id: '1' }])
    expect(error).toBeInstanceOf(BrokenOffError)
    expect(error).toMatchObject({ message: expect.stringMatching(words) })
    expect(error).toMatchObject({ message: expect.stringMatching(/drop it, and read the list again\.$/) })
    if (String(words).includes('answer now')) expect(error).toMatchObject({ problem: { requestId: PROBLEM.requestId } })
    expect(requests).toHaveLength(1)
  })

  it('that breaks off before its first record is asked for again, as often as a call is', async () => {
    const { api } = await openApi([lines('{"i', {}, true), json(503, PROBLEM), lines('{"id":"1"}\n')])
    expect(await read(api)).toEqual({ records: [{ id: '1' }], error: undefined })
    const { api: never, requests } = await openApi([lines('{"i', {}, true)], { retries: 1 })
    expect(await read(never)).toMatchObject({ records: [], error: { name: 'BrokenOffError' } })
    expect(requests).toHaveLength(2)
  })

  it('of nothing is empty; refused, or answered as a page, it is an error', async () => {
    const { api } = await openApi([lines('', { 'x-total-count': '0' }), json(409, { ...PROBLEM, status: 409 }), json(200, page([COMPANY]))])
    expect(await read(api)).toEqual({ records: [], error: undefined })
    expect(await read(api)).toMatchObject({ records: [], error: { name: 'ApiError', status: 409 } })
    expect(await read(api)).toMatchObject({ records: [], error: { message: expect.stringContaining('answered as a page') } })
  })

  it('that its reader leaves is not read any further', async () => {
    const closed = Promise.withResolvers<void>()
    const endless: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":"1"}\n')
      response.on('close', closed.resolve)
    }
    const { api } = await openApi([endless])
    for await (const { id } of api.eachRecord('listAccountingTransactions', options)) {
      expect(id).toBe('1')
      break
    }
    await closed.promise
  })
})
