import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Empty } from './page.tsx'

export interface Column<Row> {
  name: string
  cell(row: Row): ReactNode
  /** Numbers stand at the right. */
  isNumber?: boolean
}

export interface GridProps<Row> {
  /** What the table holds, for those who cannot see it. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  empty: { title: string; hint?: ReactNode }
}

/** A table that becomes a list of cards on a phone. */
export function Grid<Row>({ label, columns, rows, keyOf, empty }: GridProps<Row>) {
  if (rows.length === 0) return <Empty title={empty.title}>{empty.hint}</Empty>
  return (
    <Table className="grid" aria-label={label} verticalSpacing="xs" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ name, isNumber }) => (
            <Table.Th key={name} className={isNumber ? 'number' : undefined}>
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)}>
            {columns.map(({ name, cell, isNumber }) => (
              <Table.Td key={name} data-label={name} className={isNumber ? 'number' : undefined}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
