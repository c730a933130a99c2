import type { Quota } from '../../api/operator.ts'
import { Mark } from '../../parts/display/status.tsx'
import type { Column } from '../../parts/tables/grid.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { operatorTexts } from '../../texts/pages/operator.ts'

/** What a quota is called, how much of it is used, and its limit: for operators, and for the administrators of the instance. */
export function useQuotaColumns(): Column<Quota>[] {
  const texts = useTexts(operatorTexts)
  const formats = useFormats()
  const show = ({ name }: Quota, value: number) => (name === 'storedBytes' ? formats.bytes(value) : formats.number(value))
  return [
    {
      name: texts.quota,
      cell: ({ name, isNear }) => (
        <>
          {texts.quotaNames[name]} {isNear && <Mark health="busy">{texts.near}</Mark>}
        </>
      ),
    },
    { name: texts.used, isNumber: true, cell: (quota) => (quota.used === null ? '–' : show(quota, quota.used)) },
    { name: texts.limit, isNumber: true, cell: (quota) => (quota.bound === null ? texts.unlimited : show(quota, quota.bound)) },
  ]
}
