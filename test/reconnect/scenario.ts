import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { disconnect, suspend } from '../../src/sync/connection/connection-actions.ts'
import { runsOf } from '../harness/app/runs.ts'
import type { SyncHarness } from '../sync/harness.ts'
import { BankModel, type TrueAccount } from './bank-model.ts'
import { authorize, type ReadAccount, type ReadMovement, readAccounts, readMovements } from './owner.ts'
import {
  checkMovementIds,
  firstDayOf,
  groupMovements,
  type PublishedRecords,
  readEverything,
  readPublished,
  toTruth,
} from './published-records.ts'
import { Random } from './random.ts'
import type { Login, RelinkedBank } from './relinked-bank.ts'

/** Totals over all scenarios. */
export interface Counts {
  reconnects: number
  relinks: number
  refused: number
  strangers: number
  disconnects: number
  kept: number
  begun: number
}

/** Environment of scenarios. */
interface ScenarioContext {
  syncHarness: SyncHarness
  bank: RelinkedBank
  counts: Counts
}

/** A business at its bank, with the checks after each step. */
export class ReconnectScenario {
  readonly #syncHarness: SyncHarness
  readonly #bank: RelinkedBank
  readonly #counts: Counts
  readonly #random: Random
  readonly #bankModel: BankModel
  readonly #scope: RecordScope
  #connectionId = ''
  #shown: PublishedRecords = { accounts: new Map(), movements: new Map() }
  /** The actual account that each id has ever stood for. */
  readonly #meanings = new Map<string, number>()

  constructor({ syncHarness: harness, bank, counts }: ScenarioContext, seed: number, companyId: string) {
    this.#syncHarness = harness
    this.#bank = bank
    this.#counts = counts
    this.#random = new Random(seed)
    this.#bankModel = new BankModel(this.#random, `login-${seed}`)
    this.#scope = { instanceId: harness.instanceId, companyId, serviceId: toServiceId('relinked-bank') }
  }

  async begin(): Promise<void> {
    const login = this.#bankModel.relink(this.#bankModel.accounts, { isOtherOwner: false, firstDay: 1 })
    this.#connectionId = await this.#authorize(login)
    await this.#sync()
    await this.#check({ firstDay: 1, isRelink: false })
  }

  async step(): Promise<void> {
    this.#live()
    const random = this.#random
    if (random.chance(0.4)) {
      await this.#sync()
      return await this.#check({ firstDay: null, isRelink: false })
    }
    if (random.chance(0.15)) await suspend(this.#syncHarness.deps, this.#scope)
    else if (random.chance(0.3)) await this.#lose()
    const kind = random.next()
    this.#counts.reconnects += 1
    if (kind < 0.15) await this.#refuseOtherEntity()
    else if (kind < 0.25 && this.#canTellStrangers()) await this.#refuseOtherOwner()
    if (kind < 0.4) await this.#repair()
    else if (kind < 0.47) await this.#disconnect()
    else await this.#relink()
  }

  /** Changes at a bank between two visits. */
  #live(): void {
    const random = this.#random
    const bankModel = this.#bankModel
    let closable = Math.floor(this.#shown.accounts.size / 2)
    for (let events = random.below(4); events > 0; events -= 1) {
      const open = bankModel.accounts.filter(({ isOpen }) => isOpen)
      const account = random.pick(open)
      if (random.chance(0.25)) bankModel.openAccount()
      else if (random.chance(0.3) && closable > 0 && this.#mayClose(account)) {
        closable -= 1
        bankModel.closeAccount(account)
      } else if (random.chance(0.5) && this.#bankModel.isSettled(account)) bankModel.rename(account)
      else bankModel.reorder()
    }
    bankModel.passDay()
  }

  /** At least one account always remains, and none closes while a look-alike opens. */
  #mayClose(account: TrueAccount): boolean {
    return this.#bankModel.isSettled(account) && this.#goingOn().some((one) => one !== account)
  }

  /** The owner may share one look-alike without the other, but two twins cannot be distinguished. */
  #canBeHidden(account: TrueAccount): boolean {
    return this.#bankModel.isSettled(account) && !this.#bankModel.hasTwin(account)
  }

  /** Visible, open accounts that can be distinguished from others. */
  #goingOn(): TrueAccount[] {
    const { accounts } = this.#bankModel
    return accounts.filter((one) => one.isOpen && this.#shown.accounts.has(one.truth) && (one.mask !== null || one.persistentId !== null))
  }

  #canTellStrangers(): boolean {
    const shown = this.#bankModel.accounts.filter((one) => this.#shown.accounts.has(one.truth))
    return shown.length > 0 && shown.every((one) => one.mask !== null || one.persistentId !== null)
  }

  async #authorize(login: Login): Promise<string> {
    this.#bank.logins.set(login.reference, login)
    this.#bank.chosen = login.reference
    return await authorize(this.#syncHarness.deps, this.#scope)
  }

  async #sync(): Promise<void> {
    expect(await this.#syncHarness.sync(this.#connectionId, { reason: 'schedule' })).toEqual({ done: true })
  }

  /** The source revokes the login: the connection is at fault until the owner returns. */
  async #lose(): Promise<void> {
    const reference = this.#bankModel.login?.reference ?? ''
    const login = this.#bank.logins.get(reference)
    this.#bank.logins.delete(reference)
    await this.#sync()
    if (login) this.#bank.logins.set(reference, login)
    expect(await this.#connection()).toMatchObject({ status: 8, fault: 'the login is gone' })
  }

  async #refuseOtherEntity(): Promise<void> {
    this.#counts.refused += 1
    const before = await readEverything(this.#syncHarness, this.#scope, this.#connectionId)
    const login: Login = { entity: { id: 'other', name: 'Other Bank' }, reference: `other-${randomUUID()}`, accounts: [], changes: [] }
    await expect(this.#authorize(login)).rejects.toThrow(EntityMismatch)
    expect(await readEverything(this.#syncHarness, this.#scope, this.#connectionId)).toEqual(before)
  }

  /** The same bank, but the login of another owner. */
  async #refuseOtherOwner(): Promise<void> {
    this.#counts.strangers += 1
    const before = await readPublished(this.#syncHarness.deps, this.#scope)
    const stranger = new BankModel(new Random(this.#random.below(1_000_000)), `stranger-${randomUUID()}`)
    const login = stranger.relink(stranger.accounts, { isOtherOwner: true, firstDay: 1 })
    for (const account of login.accounts) Object.assign(account, { mask: `x${account.balance}`, persistentId: null })
    await expect(this.#authorize(login)).rejects.toThrow(EntityMismatch)
    expect(await readPublished(this.#syncHarness.deps, this.#scope)).toEqual(before)
  }

  /** The same login works again: no ids change. */
  async #repair(): Promise<void> {
    expect(await this.#authorize(this.#bankModel.login ?? expect.fail())).toBe(this.#connectionId)
    await this.#sync()
    await this.#check({ firstDay: null, isRelink: false })
  }

  async #relink(): Promise<void> {
    this.#counts.relinks += 1
    const random = this.#random
    const open = this.#bankModel.accounts.filter(({ isOpen }) => isOpen)
    const keep = random.pick(this.#goingOn().length > 0 ? this.#goingOn() : open)
    const shared = open.filter((one) => one === keep || !random.chance(0.1) || !this.#canBeHidden(one))
    const firstDay = random.chance(0.5) ? 1 : random.below(30)
    const login = this.#bankModel.relink(shared, { isOtherOwner: random.chance(0.3), firstDay })
    expect(await this.#authorize(login)).toBe(this.#connectionId)
    await this.#sync()
    await this.#check({ firstDay, isRelink: true })
  }

  async #disconnect(): Promise<void> {
    this.#counts.disconnects += 1
    const isSameLogin = this.#random.chance(0.5)
    const before = this.#shown
    await disconnect(this.#syncHarness.deps, this.#scope)
    if (this.#random.chance(0.5)) await this.#syncHarness.erase(this.#connectionId)
    const old = this.#connectionId
    this.#shown = { accounts: new Map(), movements: new Map() }
    const open = this.#bankModel.accounts.filter(({ isOpen }) => isOpen)
    const login = isSameLogin ? this.#bankModel.login : this.#bankModel.relink(open, { isOtherOwner: false, firstDay: 1 })
    this.#connectionId = await this.#authorize(login ?? expect.fail())
    expect(this.#connectionId).not.toBe(old)
    await this.#sync()
    await this.#syncHarness.erase(old).catch(() => undefined)
    if (isSameLogin) for (const [truth, id] of before.accounts) if (this.#bankModel.listed().has(truth)) this.#meanings.set(id, truth)
    await this.#check({ firstDay: 1, isRelink: false })
    if (isSameLogin) {
      for (const [truth, id] of this.#shown.accounts) expect(before.accounts.get(truth) ?? id, 'an id after a disconnect').toBe(id)
    }
  }

  async #connection() {
    return await findConnection(this.#syncHarness.deps.database, this.#syncHarness.instanceId, this.#connectionId)
  }

  async #check(sync: { firstDay: number | null; isRelink: boolean }): Promise<void> {
    expect(await this.#connection(), 'the fault is cleared').toMatchObject({ status: 19, fault: null, reidentify: false })
    const [run] = await runsOf(this.#syncHarness, this.#connectionId, 1)
    expect(['published', 'unchanged']).toContain(run?.state)
    const accounts = await readAccounts(this.#syncHarness.deps, this.#scope)
    const movements = await readMovements(this.#syncHarness.deps, this.#scope)
    const listed = this.#bankModel.listed()
    expect(accounts.map(toTruth).sort(), 'each account once').toEqual([...listed.keys()].sort())
    this.#checkIds(accounts, sync.isRelink)
    expect(new Set(movements.map(({ category }) => category)).size, 'no movement twice').toBe(movements.length)
    const shown: PublishedRecords = {
      accounts: new Map(accounts.map((account) => [toTruth(account), account.origId])),
      movements: groupMovements(movements),
    }
    for (const [truth, id] of shown.accounts) {
      const was = this.#shown.movements.get(id) ?? new Map<string, ReadMovement>()
      const is = shown.movements.get(id) ?? new Map<string, ReadMovement>()
      const told = listed.get(truth) ?? new Set<string>()
      const first = sync.firstDay === null ? '' : firstDayOf(is, told)
      const kept = [...was.values()].filter((one) => !one.isPending && (one.postedOn ?? '') < first).map(({ category }) => category)
      // A pending transaction that is no longer listed has been booked.
      const older = sync.firstDay === null ? [...was.keys()].filter((tag) => !told.has(tag) && !was.get(tag)?.isPending) : kept
      expect([...is.keys()].sort(), `movements of ${truth}`).toEqual([...new Set([...told, ...older])].sort())
      checkMovementIds(was, is)
    }
    this.#shown = shown
    for (const account of this.#bankModel.accounts) if (listed.has(account.truth)) account.wasRead = true
  }

  #checkIds(accounts: readonly ReadAccount[], isRelink: boolean): void {
    for (const account of accounts) {
      const truth = toTruth(account)
      expect(this.#meanings.get(account.origId) ?? truth, 'an id stands for one account').toBe(truth)
      this.#meanings.set(account.origId, truth)
      const before = this.#shown.accounts.get(truth)
      if (before === undefined || before === account.origId) {
        this.#counts.kept += before === undefined ? 0 : 1
        continue
      }
      this.#counts.begun += 1
      const own = this.#bankModel.accounts.find((one) => one.truth === truth)
      expect(isRelink && own && own.persistentId === null, `the id of ${truth} has changed`).toBe(true)
      const isUnmistakable = own && own.mask !== null && this.#bankModel.lookAlikes(own).length === 1
      expect(isUnmistakable, `the id of ${truth} has changed though nothing looks like it`).toBe(false)
    }
  }
}
