/** Line icons, drawn for 20 × 20. They are decoration: their button or link has the name. */

const paths = {
  logo: "M6 6l4 4M6 14l4-4M10 10h4M4.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM4.5 17a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM16 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  list: "M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01",
  plus: "M10 4v12M4 10h12",
  eye: "M2 10c3-6 13-6 16 0c-3 6-13 6-16 0zM10 12.500a2.500 2.500 0 1 0 0-5a2.500 2.500 0 0 0 0 5z",
  minus: "M4 10h12",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  table: "M3 4h14v12H3zM3 8h14M8 8v8",
  server: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  braces:
    "M7 3.5c-2 0-2 1-2 3s0 3-2 3.5c2 .5 2 1.5 2 3.5s0 3 2 3M13 3.5c2 0 2 1 2 3s0 3 2 3.5c-2 .5-2 1.5-2 3.5s0 3-2 3",
  exit: "M8 4H4v12h4M9 10h8M14 7l3 3-3 3",
  sun: "M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.500l1.4 1.400M14.1 14.100l1.4 1.400M4.5 15.500l1.4-1.400M14.1 5.900l1.4-1.4",
  moon: "M16 12.500A6.5 6.5 0 0 1 7.5 4a6.5 6.5 0 1 0 8.5 8.500z",
  contrast: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 3v14",
  alert: "M10 3l8 14H2zM10 8v4M10 14.500h.01",
  check: "M4 10.500l4 4 8-9",
  cross: "M5 5l10 10M15 5L5 15",
  copy: "M7 7h9v10H7zM4 13V3h9",
  download: "M10 3v10M6 9l4 4 4-4M4 17h12",
  upload: "M10 13V3M6 7l4-4 4 4M4 17h12",
  back: "M12 4l-6 6 6 6",
  play: "M6 4l10 6-10 6z",
  stop: "M5 5h10v10H5z",
  restart: "M16 10a6 6 0 1 1-2-4.500M16 3v4h-4",
  edit: "M4 16l1-4 8-8 3 3-8 8zM11.5 5.500l3 3",
  chevron: "M7 5l5 5-5 5",
  folder: "M3 5h5l2 2h7v9H3z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
