/// Gives the precompiled header a library to live in.
