import { Button, Group, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'wouter'

/** Filter with these parameters in the address; a change drops `position`, where in the list the page was. */
export function useAddressFilter(names: readonly string[], position: string) {
  const [params, setParams] = useSearchParams()
  const change = (changed: Record<string, string>) =>
    setParams(
      (before) => {
        const kept = [...before].filter(([name]) => name !== position && !(name in changed))
        return new URLSearchParams([...kept, ...Object.entries(changed).filter(([, value]) => value !== '')])
      },
      { replace: true },
    )
  return {
    textOf: (name: string) => params.get(name) ?? '',
    change,
    isOn: names.some((name) => params.has(name)),
    clear: () => change(Object.fromEntries(names.map((name) => [name, '']))),
  }
}

type Filter = Pick<ReturnType<typeof useAddressFilter>, 'change' | 'isOn' | 'clear'>

interface AddressFilterProps extends Omit<Filter, 'change'> {
  clearLabel: string
  children: ReactNode
  /** Below the fields. */
  more?: ReactNode
}

/** Fields of such a filter in a row, with a button that clears them. */
export function AddressFilter({ isOn, clear, clearLabel, children, more }: AddressFilterProps) {
  // Key that remounts the fields when they are cleared.
  const [round, setRound] = useState(0)
  return (
    <div key={round} className="filter-bar">
      <Group align="flex-end" gap="sm">
        {children}
        {isOn && (
          <Button
            variant="default"
            onClick={() => {
              clear()
              setRound(round + 1)
            }}
          >
            {clearLabel}
          </Button>
        )}
      </Group>
      {more}
    </div>
  )
}

type Days = Record<'from' | 'to', string>

/** Fields for the first and the last day of such a filter. */
export function DayFields({ labels, days, change }: { labels: Days; days: Days } & Pick<Filter, 'change'>) {
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      type="date"
      label={labels[name]}
      defaultValue={days[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  ))
}
