import { Table } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Empty } from '../layout/page.tsx'

export interface Column<Row> {
  name: string
  cell(row: Row): ReactNode
  /** Right-aligned. */
  isNumber?: boolean
  /** Buttons, which say themselves what they do: cards do not repeat it. */
  isAction?: boolean
}

export interface GridProps<Row> {
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  empty: { title: string; hint?: ReactNode }
}

/** Minimum width of a column; a narrower table becomes cards, even where it fits. */
const MIN_COLUMN_REM = 6.5

/** Table that becomes a list of cards where it does not fit. */
export function Grid<Row>({ label, columns, rows, keyOf, empty }: GridProps<Row>) {
  const box = useShape(columns.length, rows.length > 0)
  if (rows.length === 0) return <Empty title={empty.title}>{empty.hint}</Empty>
  return (
    <div className="grid-box" ref={box}>
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
              {columns.map(({ name, cell, isNumber, isAction }) => (
                <Table.Td key={name} data-label={isAction ? undefined : name} className={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/**
 * Measures before the first paint and after every change of width. NOTE the shape is kept in the DOM alone: as React
 * state it would render twice.
 */
function useShape(columns: number, hasRows: boolean) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!box.current) return
    shape(box.current, columns)
  })
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !hasRows) return
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return
      width = element.clientWidth
      shape(element, columns)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [columns, hasRows])
  return box
}

function shape(box: HTMLElement, columns: number): void {
  box.dataset.shape = 'table'
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const isNarrow = columns > 2 && box.clientWidth < columns * MIN_COLUMN_REM * rem
  if (isNarrow || box.scrollWidth > box.clientWidth) box.dataset.shape = 'cards'
}
