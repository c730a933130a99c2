import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { explainFailure } from './file-faults.ts'

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: of the system, write`), { code, syscall: 'write', ...more })

test.each([
  ['EACCES', { path: '/etc/shadow' }, 'this user may not open /etc/shadow (EACCES)'],
  ['EROFS', { path: '/mnt/a' }, '/mnt/a is on a disk that cannot be written (EROFS)'],
  ['ENOSPC', {}, 'the disk of the given path is full'],
  ['EEXIST', { path: '/tmp/one' }, '/tmp/one exists, and is not replaced'],
  ['ENOTDIR', { path: '/etc/passwd/a' }, '/etc/passwd is a file, not a folder'],
  ['EIO', { path: '/mnt/a' }, 'EIO: of the system, write'],
  ['EACCES', { address: '0.0.0.0', port: 80 }, 'EACCES: of the system, write'],
])('%s %j is told as %s', (code, more, told) => {
  expect(explainFailure(failure(code, more))).toBe(told)
})

test('a file that does not exist is named, or its folder', () => {
  const explain = (path: string): string => {
    try {
      openSync(path, 'r')
      return 'opened'
    } catch (error) {
      return explainFailure(error)
    }
  }
  expect([explain('/no-such-file'), explain('/no-such-folder/file')]).toEqual([
    '/no-such-file does not exist',
    'the folder /no-such-folder does not exist',
  ])
})

test('any other failure keeps its words', () => {
  expect([explainFailure(new Error('no key')), explainFailure('text')]).toEqual(['no key', 'text'])
})
