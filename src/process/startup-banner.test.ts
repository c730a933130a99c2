import { describe, expect, it } from 'vitest'
import { readConfig } from './settings/config.ts'
import { systemFolders } from './settings/folders.ts'
import { startupBanner } from './startup-banner.ts'

const seeded = { instanceId: 'i', email: 'a@lender.example', newPassword: null, loginFile: null, companyId: 'c', hasBooks: false }

function bannerOf(databaseUrl: string): string {
  const config = readConfig({ DATABASE_URL: databaseUrl }, [], systemFolders)
  return startupBanner({ config, seeded, link: null, simulators: [] })
}

describe('the lines to try of a sandbox on an outside PostgreSQL', () => {
  it.each(['postgres://someone@db.example:5432/books', 'postgres://someone@/books?host=/run/postgresql'])(
    'hold its address where that has no password: %s',
    (url) => {
      expect(bannerOf(url)).toMatch(/^Try it:$/m)
      expect(bannerOf(url)).toContain(` DATABASE_URL='${url}' node `)
    },
  )

  it.each(['postgres://someone:hunter2@db.example/books', 'postgres://someone@db.example/books?password=hunter2'])(
    'ask for a shell that has it where it has one: %s',
    (url) => {
      expect(bannerOf(url)).toContain('Try it, in a shell with the same DATABASE_URL:')
      expect(bannerOf(url)).not.toMatch(/hunter2|someone/)
    },
  )
})
