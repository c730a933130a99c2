import { describe, expect, it } from 'vitest'
import { ShortLivedPassword } from './login.ts'

describe('a password that lives for minutes', () => {
  function open(answers: (string | Error)[]) {
    const clock = { ms: 0 }
    const asked: number[] = []
    const password = new ShortLivedPassword(
      async () => {
        asked.push(clock.ms)
        const answer = answers[asked.length - 1] ?? 'later'
        if (answer instanceof Error) throw answer
        return answer
      },
      () => clock.ms,
    )
    return { clock, asked, password }
  }

  it('is asked for once by connections that are opened together, and again 30 s later', async () => {
    const { clock, asked, password } = open(['first', 'second'])
    expect(await Promise.all([password.get(), password.get()])).toEqual(['first', 'first'])
    clock.ms = 29_999
    expect(await password.get()).toBe('first')
    clock.ms = 30_000
    expect([await password.get(), asked]).toEqual(['second', [0, 30_000]])
  })

  it('is asked for again at once when it was refused', async () => {
    const { asked, password } = open(['first', 'second'])
    await password.get()
    password.forget()
    expect([await password.get(), asked]).toEqual(['second', [0, 0]])
  })

  it('is asked for again after a failure, which is not kept', async () => {
    const { password } = open([new Error('no vault'), 'second'])
    await expect(password.get()).rejects.toThrow('no vault')
    expect(await password.get()).toBe('second')
  })
})
