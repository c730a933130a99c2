import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { listRuns } from '../../src/store/connections/sync-runs.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { disconnect, suspend } from '../../src/sync/connection/actions.ts'
import type { House } from '../sync/house.ts'
import { BankWorld, type TrueAccount } from './bank-world.ts'
import { Dice } from './dice.ts'
import { authorize, type ReadAccount, type ReadMovement, readAccounts, readMovements } from './owner.ts'
import type { Login, RelinkedBank } from './relinked-bank.ts'
import { checkMovementIds, firstDayOf, groupMovements, readEverything, readPublished, type Shown, toTruth } from './shown.ts'

/** What happened in all lives together. */
export interface Counts {
  reconnects: number
  relinks: number
  refused: number
  strangers: number
  disconnects: number
  kept: number
  begun: number
}

/** Where lives are lived. */
interface Town {
  house: House
  bank: RelinkedBank
  counts: Counts
}

/** A business at its bank, with everything that must hold after each step. */
export class Life {
  readonly #house: House
  readonly #bank: RelinkedBank
  readonly #counts: Counts
  readonly #dice: Dice
  readonly #world: BankWorld
  readonly #scope: RecordScope
  #connectionId = ''
  #shown: Shown = { accounts: new Map(), movements: new Map() }
  /** Which true account an id has ever stood for. */
  readonly #meanings = new Map<string, number>()

  constructor({ house, bank, counts }: Town, seed: number, companyId: string) {
    this.#house = house
    this.#bank = bank
    this.#counts = counts
    this.#dice = new Dice(seed)
    this.#world = new BankWorld(this.#dice, `login-${seed}`)
    this.#scope = { instanceId: house.instanceId, companyId, serviceId: toServiceId('relinked-bank') }
  }

  async begin(): Promise<void> {
    const login = this.#world.relink(this.#world.accounts, { isOtherOwner: false, firstDay: 1 })
    this.#connectionId = await this.#authorize(login)
    await this.#sync()
    await this.#check({ firstDay: 1, isRelink: false })
  }

  async step(): Promise<void> {
    this.#live()
    const dice = this.#dice
    if (dice.chance(0.4)) {
      await this.#sync()
      return await this.#check({ firstDay: null, isRelink: false })
    }
    if (dice.chance(0.15)) await suspend(this.#house.deps, this.#scope)
    else if (dice.chance(0.3)) await this.#lose()
    const kind = dice.next()
    this.#counts.reconnects += 1
    if (kind < 0.15) await this.#refuseOtherEntity()
    else if (kind < 0.25 && this.#canTellStrangers()) await this.#refuseStranger()
    if (kind < 0.4) await this.#repair()
    else if (kind < 0.47) await this.#disconnect()
    else await this.#relink()
  }

  /** What goes on at a bank between two visits. */
  #live(): void {
    const dice = this.#dice
    const world = this.#world
    let closable = Math.floor(this.#shown.accounts.size / 2)
    for (let events = dice.below(4); events > 0; events -= 1) {
      const open = world.accounts.filter(({ isOpen }) => isOpen)
      const account = dice.pick(open)
      if (dice.chance(0.25)) world.openAccount()
      else if (dice.chance(0.3) && closable > 0 && this.#mayClose(account)) {
        closable -= 1
        world.closeAccount(account)
      } else if (dice.chance(0.5) && this.#world.isSettled(account)) world.rename(account)
      else world.reorder()
    }
    world.passDay()
  }

  /** One account that goes on is always left, and nobody closes while a look-alike opens. */
  #mayClose(account: TrueAccount): boolean {
    return this.#world.isSettled(account) && this.#goingOn().some((one) => one !== account)
  }

  /** The owner may share one look-alike without the other, but nobody could say which of two twins it is. */
  #mayStayAway(account: TrueAccount): boolean {
    return this.#world.isSettled(account) && !this.#world.hasTwin(account)
  }

  /** Accounts that are shown and open, and that something tells from others. */
  #goingOn(): TrueAccount[] {
    const { accounts } = this.#world
    return accounts.filter((one) => one.isOpen && this.#shown.accounts.has(one.truth) && (one.mask !== null || one.persistentId !== null))
  }

  #canTellStrangers(): boolean {
    const shown = this.#world.accounts.filter((one) => this.#shown.accounts.has(one.truth))
    return shown.length > 0 && shown.every((one) => one.mask !== null || one.persistentId !== null)
  }

  async #authorize(login: Login): Promise<string> {
    this.#bank.logins.set(login.reference, login)
    this.#bank.chosen = login.reference
    return await authorize(this.#house.deps, this.#scope)
  }

  async #sync(): Promise<void> {
    expect(await this.#house.sync(this.#connectionId, { reason: 'schedule' })).toEqual({ done: true })
  }

  /** The source takes the login away: the connection is at fault until its owner comes. */
  async #lose(): Promise<void> {
    const reference = this.#world.login?.reference ?? ''
    const login = this.#bank.logins.get(reference)
    this.#bank.logins.delete(reference)
    await this.#sync()
    if (login) this.#bank.logins.set(reference, login)
    expect(await this.#connection()).toMatchObject({ status: 8, fault: 'the login is gone' })
  }

  async #refuseOtherEntity(): Promise<void> {
    this.#counts.refused += 1
    const before = await readEverything(this.#house, this.#scope, this.#connectionId)
    const login: Login = { entity: { id: 'other', name: 'Other Bank' }, reference: `other-${randomUUID()}`, accounts: [], changes: [] }
    await expect(this.#authorize(login)).rejects.toThrow(EntityMismatch)
    expect(await readEverything(this.#house, this.#scope, this.#connectionId)).toEqual(before)
  }

  /** The same bank, but a login that is somebody else's. */
  async #refuseStranger(): Promise<void> {
    this.#counts.strangers += 1
    const before = await readPublished(this.#house.deps, this.#scope)
    const stranger = new BankWorld(new Dice(this.#dice.below(1_000_000)), `stranger-${randomUUID()}`)
    const login = stranger.relink(stranger.accounts, { isOtherOwner: true, firstDay: 1 })
    for (const account of login.accounts) Object.assign(account, { mask: `x${account.balance}`, persistentId: null })
    await expect(this.#authorize(login)).rejects.toThrow(EntityMismatch)
    expect(await readPublished(this.#house.deps, this.#scope)).toEqual(before)
  }

  /** The same login works again: nothing has another id. */
  async #repair(): Promise<void> {
    expect(await this.#authorize(this.#world.login ?? expect.fail())).toBe(this.#connectionId)
    await this.#sync()
    await this.#check({ firstDay: null, isRelink: false })
  }

  async #relink(): Promise<void> {
    this.#counts.relinks += 1
    const dice = this.#dice
    const open = this.#world.accounts.filter(({ isOpen }) => isOpen)
    const keep = dice.pick(this.#goingOn().length > 0 ? this.#goingOn() : open)
    const shared = open.filter((one) => one === keep || !dice.chance(0.1) || !this.#mayStayAway(one))
    const firstDay = dice.chance(0.5) ? 1 : dice.below(30)
    const login = this.#world.relink(shared, { isOtherOwner: dice.chance(0.3), firstDay })
    expect(await this.#authorize(login)).toBe(this.#connectionId)
    await this.#sync()
    await this.#check({ firstDay, isRelink: true })
  }

  async #disconnect(): Promise<void> {
    this.#counts.disconnects += 1
    const isSameLogin = this.#dice.chance(0.5)
    const before = this.#shown
    await disconnect(this.#house.deps, this.#scope)
    if (this.#dice.chance(0.5)) await this.#house.erase(this.#connectionId)
    const old = this.#connectionId
    this.#shown = { accounts: new Map(), movements: new Map() }
    const open = this.#world.accounts.filter(({ isOpen }) => isOpen)
    const login = isSameLogin ? this.#world.login : this.#world.relink(open, { isOtherOwner: false, firstDay: 1 })
    this.#connectionId = await this.#authorize(login ?? expect.fail())
    expect(this.#connectionId).not.toBe(old)
    await this.#sync()
    await this.#house.erase(old).catch(() => undefined)
    if (isSameLogin) for (const [truth, id] of before.accounts) if (this.#world.listed().has(truth)) this.#meanings.set(id, truth)
    await this.#check({ firstDay: 1, isRelink: false })
    if (isSameLogin) {
      for (const [truth, id] of this.#shown.accounts) expect(before.accounts.get(truth) ?? id, 'an id after a disconnect').toBe(id)
    }
  }

  async #connection() {
    return await findConnection(this.#house.deps.database, this.#house.instanceId, this.#connectionId)
  }

  async #check(sync: { firstDay: number | null; isRelink: boolean }): Promise<void> {
    expect(await this.#connection(), 'the fault is cleared').toMatchObject({ status: 19, fault: null, reidentify: false })
    const [run] = await listRuns(this.#house.deps.database, this.#house.instanceId, this.#connectionId, 1)
    expect(['published', 'unchanged']).toContain(run?.state)
    const accounts = await readAccounts(this.#house.deps, this.#scope)
    const movements = await readMovements(this.#house.deps, this.#scope)
    const listed = this.#world.listed()
    expect(accounts.map(toTruth).sort(), 'each account once').toEqual([...listed.keys()].sort())
    this.#checkIds(accounts, sync.isRelink)
    expect(new Set(movements.map(({ category }) => category)).size, 'no movement twice').toBe(movements.length)
    const shown: Shown = {
      accounts: new Map(accounts.map((account) => [toTruth(account), account.origId])),
      movements: groupMovements(movements),
    }
    for (const [truth, id] of shown.accounts) {
      const was = this.#shown.movements.get(id) ?? new Map<string, ReadMovement>()
      const is = shown.movements.get(id) ?? new Map<string, ReadMovement>()
      const told = listed.get(truth) ?? new Set<string>()
      const first = sync.firstDay === null ? '' : firstDayOf(is, told)
      const kept = [...was.values()].filter((one) => !one.isPending && (one.postedOn ?? '') < first).map(({ category }) => category)
      // A pending movement that is not told any more has been booked.
      const older = sync.firstDay === null ? [...was.keys()].filter((tag) => !told.has(tag) && !was.get(tag)?.isPending) : kept
      expect([...is.keys()].sort(), `movements of ${truth}`).toEqual([...new Set([...told, ...older])].sort())
      checkMovementIds(was, is)
    }
    this.#shown = shown
    for (const account of this.#world.accounts) if (listed.has(account.truth)) account.wasRead = true
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
      const own = this.#world.accounts.find((one) => one.truth === truth)
      expect(isRelink && own && own.persistentId === null, `the id of ${truth} has changed`).toBe(true)
      const isUnmistakable = own && own.mask !== null && this.#world.lookAlikes(own).length === 1
      expect(isUnmistakable, `the id of ${truth} has changed though nothing looks like it`).toBe(false)
    }
  }
}
