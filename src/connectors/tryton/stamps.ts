import type { TrytonStamp } from './wire.ts'

/** `2026-11-20T20:11:02.206591`: text in chronological order. */
export function toStampText(stamp: TrytonStamp): string {
  const day = [digits(stamp.year, 4), digits(stamp.month, 2), digits(stamp.day, 2)].join('-')
  const time = [digits(stamp.hour, 2), digits(stamp.minute, 2), digits(stamp.second, 2)].join(':')
  return `${day}T${time}.${digits(stamp.microsecond, 6)}`
}

/** Stamp `ms` milliseconds before a text of `toStampText`, to the second. */
export function stampBefore(text: string, ms: number): TrytonStamp {
  const at = new Date(Date.parse(`${text.slice(0, 19)}Z`) - ms)
  return {
    __class__: 'datetime',
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    microsecond: 0,
  }
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0')
}
