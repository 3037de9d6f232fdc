/** Java's options that the servers need. */

/** Opens the internal modules that Spark and Hive access by reflection. */
export const addOpens = [
  ...[
    "java.io",
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.net",
    "java.nio",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.regex",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
  ].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
  "--add-opens=java.sql/java.sql=ALL-UNNAMED",
  "-Djdk.reflect.useDirectMethodHandle=false",
  "-Dio.netty.tryReflectionSetAccessible=true",
];
