import { AccountsApi, Configuration, TransactionsApi, UsersApi } from 'mx-platform-node'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { API_KEY, CLIENT_ID, link, openHarness } from '../mx/harness.ts'

/** The client defaults to an older version of the API; the paths and bodies used here are the same in both. */
const VERSION = { 'Accept-Version': 'v20250224' }

describe('mx-platform-node, MX’s own client, at the simulator', () => {
  const harness = openForTests(openHarness)
  let userGuid = ''
  let memberGuid = ''

  beforeAll(async () => {
    await link(harness)
    const [member] = harness.simulator.members()
    userGuid = member?.userGuid ?? ''
    memberGuid = member?.guid ?? ''
  })

  function clientsWith(password: string) {
    const credentials = { username: CLIENT_ID, password }
    const configuration = new Configuration({ ...credentials, basePath: harness.url, baseOptions: { headers: VERSION } })
    return {
      users: new UsersApi(configuration),
      accounts: new AccountsApi(configuration),
      transactions: new TransactionsApi(configuration),
    }
  }

  test('reads the user by guid and by the id that the app assigned', async () => {
    const { users } = clientsWith(API_KEY)
    const { data } = await users.readUser(userGuid)
    expect(data.user?.guid).toBe(userGuid)
    expect((await users.readUser(data.user?.id ?? '')).data.user).toEqual(data.user)
  })

  test('reads the accounts of a user, with the same data as the member’s', async () => {
    const { accounts } = clientsWith(API_KEY)
    const { data: ofUser } = await accounts.listUserAccounts(userGuid)
    const { data: ofMember } = await accounts.listMemberAccounts(userGuid, memberGuid)
    expect(ofUser.accounts).toEqual(ofMember.accounts)
    const guid = ofUser.accounts?.[0]?.guid ?? ''
    expect((await accounts.readAccount(guid, userGuid)).data.account).toEqual(ofUser.accounts?.[0])
  })

  test('reads transactions of a user and of an account, and one by its guid', async () => {
    const { transactions } = clientsWith(API_KEY)
    const all: string[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { data } = await transactions.listTransactions(userGuid, page, 1_000)
      all.push(...(data.transactions ?? []).map(({ guid }) => guid ?? ''))
      pages = data.pagination?.total_pages ?? 1
    }
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(10)
    const { data: one } = await transactions.readTransaction(userGuid, all[0] ?? '')
    expect(one.transactions?.[0]?.guid).toBe(all[0])
    const account = one.transactions?.[0]?.account_guid ?? ''
    const { data: ofAccount } = await transactions.listTransactionsByAccount(account, userGuid)
    expect(ofAccount.transactions?.length).toBeGreaterThan(0)
    expect(ofAccount.transactions?.every(({ account_guid }) => account_guid === account)).toBe(true)
  })

  test('is refused with a wrong key, and for unknown resources', async () => {
    const statusOf = async (call: Promise<unknown>) => Object(await call.catch((error: unknown) => error)).response?.status
    expect(await statusOf(clientsWith('wrong').accounts.listUserAccounts(userGuid))).toBe(401)
    const { users, accounts, transactions } = clientsWith(API_KEY)
    expect(await statusOf(users.readUser('USR-nobody'))).toBe(404)
    expect(await statusOf(accounts.readAccount('ACT-none', userGuid))).toBe(404)
    expect(await statusOf(transactions.readTransaction(userGuid, 'TRN-none'))).toBe(404)
  })
})
