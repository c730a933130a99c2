import { expect, it } from 'vitest'
import { leftBehindLines } from './left-behind.ts'

it('each destination where something may be left has a line in each language: with its address, or with its kind only', () => {
  const lines = leftBehindLines([
    { name: 'Lake', kind: 's3', place: 'https://s3.example/lake' },
    { name: 'In', kind: 'sftp' },
    { name: 'Rows', kind: 'postgres' },
    { name: 'Other', kind: 's3' },
  ])
  const shown = ['“Lake” (https://s3.example/lake)', '“In” (SFTP)', '“Rows” (PostgreSQL)', '“Other” (S3)']
  expect(
    lines.en.map((line, index) => line.startsWith(`Exported data may be left at the destination ${shown[index]}: it could not`)),
  ).toEqual([...[true, true, true, true]])
  expect(
    lines['fr-CA'].map((line) => /^Il peut rester des données exportées à la destination « (\w+) » \(([^)]+)\)/.exec(line)?.slice(1)),
  ).toEqual([
    ...[
      ['Lake', 'https://s3.example/lake'],
      ['In', 'SFTP'],
      ['Rows', 'PostgreSQL'],
      ['Other', 'S3'],
    ],
  ])
  expect(leftBehindLines([])).toEqual({ en: [], 'fr-CA': [] })
})
